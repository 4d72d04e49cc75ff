// Puts the native program where npm's link leads to, so that it starts without node, and the one for hub and worker beside it. If that
// fails, or scripts are off, bin/socrates stays the small program that starts the native one.
const fs = require("fs");
const path = require("path");

if (process.platform !== "win32") { // npm made a wrapper that runs node there, whatever the file is
  try {
    const native = require.resolve(`@socrates-cli/socrates-${process.platform}-${process.arch}/bin/socrates`);
    for (const name of ["socrates-hub", "socrates"]) {
      const from = path.join(path.dirname(native), name);
      const place = path.join(__dirname, "bin", name);
      const next = place + ".new";
      fs.rmSync(next, { force: true });
      try {
        fs.linkSync(from, next);
      } catch {
        fs.copyFileSync(from, next);
      }
      fs.chmodSync(next, 0o755);
      fs.renameSync(next, place);
    }
  } catch (err) {
    console.warn(`socrates: it will be started through node (${err.message})`);
  }
}
