// Keeps the reading tools of pi below the folder it was started in, symbolic links followed.
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
}
