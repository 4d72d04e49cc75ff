#!/usr/bin/env node
// Starts the native program, where npm did not put it here itself.
const { spawn } = require("child_process");

const file = process.platform === "win32" ? "socrates.exe" : "socrates";
let native;
try {
  native = require.resolve(`@socrates-cli/socrates-${process.platform}-${process.arch}/bin/${file}`);
} catch {
  console.error(`socrates: no program for ${process.platform}-${process.arch} is installed.`);
  console.error("  If npm left out optional dependencies, install again without --omit=optional.");
  console.error("  Other ways: https://github.com/socrates-cli/socrates/blob/main/docs/install.md");
  process.exit(1);
}

const child = spawn(native, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (err) => {
  console.error(`socrates: cannot start ${native}: ${err.message}`);
  process.exit(1);
});
// What a terminal sends, the program gets by itself; what others send to this process goes on to it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  });
}
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
