// What of a page the keys reach: everything that can be used, each with a ring that is seen.
reached = new Set();
bare = [];
usable = () => [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']")]
  .filter((e) => !e.disabled && e.tabIndex >= 0 && e.checkVisibility({ visibilityProperty: true }) && !e.closest("details:not([open]) > :not(summary)"));
note = () => {
  const e = document.activeElement;
  if (e === document.body) return;
  reached.add(e);
  if ([e, e.parentElement, e.closest("form") || e].every((x) => getComputedStyle(x).outlineStyle === "none")) bare.push(e.outerHTML.slice(0, 100));
};
missed = () => usable().filter((e) => !reached.has(e)).map((e) => e.outerHTML.slice(0, 100)).concat(bare.map((b) => "without a ring: " + b)).join("\n");
String(usable().length);
