// Keeps the reading tools of pi below the folder it was started in, symbolic links followed, and its stream short.
import { realpathSync } from "node:fs";
import { resolve, sep } from "node:path";

export default function (pi) {
  const root = realpathSync(process.cwd());
  pi.on("tool_call", (event) => {
    const path = String(event.input?.path ?? ".").replace(/^@/, "");
    try {
      const real = realpathSync(resolve(root, path));
      if (!path.startsWith("~") && (real === root || real.startsWith(root + sep))) return undefined;
    } catch {
      // what is not there is not read
    }
    return { block: true, reason: `${path} is not below the working folder` };
  });

  // An update holds the whole message so far, twice. It is written as what is new in it.
  pi.on("message_update", ({ message, assistantMessageEvent }) => {
    const { type, delta } = assistantMessageEvent;
    writeAs(assistantMessageEvent, { type, delta });
    writeAs(message, undefined);
  });
  pi.on("message_end", ({ message }) => {
    delete message.toJSON; // the end is written whole, even where updates hold the message itself and no copy
  });
}

function writeAs(object, written) {
  Object.defineProperty(object, "toJSON", { value: () => written, configurable: true });
}
