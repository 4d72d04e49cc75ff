// Puts the native program where npm's link leads to, so that it starts without node. If that fails, or scripts are off, bin/socrates
// stays the small program that starts the native one.
const fs = require("fs");
const path = require("path");

if (process.platform !== "win32") { // npm made a wrapper that runs node there, whatever the file is
  try {
    const native = require.resolve(`@socrates-cli/socrates-${process.platform}-${process.arch}/bin/socrates`);
    const place = path.join(__dirname, "bin", "socrates");
    const next = place + ".new";
    fs.rmSync(next, { force: true });
    try {
      fs.linkSync(native, next);
    } catch {
      fs.copyFileSync(native, next);
    }
    fs.chmodSync(next, 0o755);
    fs.renameSync(next, place);
  } catch (err) {
    console.warn(`socrates: it will be started through node (${err.message})`);
  }
}
