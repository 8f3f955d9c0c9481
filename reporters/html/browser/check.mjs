// Opens pages of report.html in a browser and does what people do.
//
//   node check.mjs JOB.json
//
// The job has: modules (a folder with node_modules), browser (the program),
// pages (name → path of the file), profile (a folder), and timed (measure).
// Prints what is wrong, a line each, and "time NAME MS"; exits with 1 if
// anything is wrong.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const job = JSON.parse(readFileSync(process.argv[2], "utf8"));
const require = createRequire(join(job.modules, "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

let wrong = 0;
const ok = (holds, what) => {
  if (holds) return;
  wrong++;
  console.log(what);
};
const same = (got, want, what) => ok(JSON.stringify(got) === JSON.stringify(want), `${what}: ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);

const context = await chromium.launchPersistentContext(job.profile, {
  executablePath: job.browser, headless: true, timeout: 120_000,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});
context.setDefaultTimeout(60_000); // machines can be slow: only what is wrong counts

// open opens a page and says so if it complains or asks for anything but files
// of its own folder.
const open = async (name, options = {}) => {
  const page = await context.newPage();
  const url = pathToFileURL(job.pages[name]).href;
  page.on("console", m => ok(false, `${name}: console says ${m.type()} ${m.text()}`));
  page.on("pageerror", e => ok(false, `${name}: ${e}`));
  page.on("dialog", d => { ok(false, `${name}: a dialog says ${d.message()}`); d.dismiss(); });
  const folder = url.slice(0, url.lastIndexOf("/") + 1);
  page.on("request", r => ok(r.url() === url || r.url().startsWith("data:image/") || options.data && r.url().startsWith(folder + "report-data/"),
    `${name}: asks for ${r.url().slice(0, 100)}`));
  if (options.width) await page.setViewportSize({ width: options.width, height: options.height });
  if (options.scheme) await page.emulateMedia({ colorScheme: options.scheme });
  await page.goto(url);
  return page;
};
const shown = page => page.locator(".program:visible").count();
const focused = page => page.evaluate(() => document.activeElement?.closest(".program")?.id ?? document.activeElement?.id);

// Nothing leaves the page, and nothing in it is hard to use.
const accessible = async (page, name) => {
  // The policy forbids what axe would do by itself: it is put in from outside.
  await page.evaluate(axe);
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"], preload: false }));
  for (const v of found.violations) for (const n of v.nodes) ok(false, `${name}: ${v.id}: ${v.help}: ${n.html.slice(0, 200)} ${n.failureSummary}`);
};

const mixed = async () => {
  const page = await open("mixed");
  same(await shown(page), 10, "programs");
  same(await page.locator(".program[open]").count(), 1, "unfolded programs");
  // Filters.
  await page.click('[data-filter="failed"]');
  same(await shown(page), 3, "failed programs");
  same(await page.locator('[data-filter="failed"]').getAttribute("aria-pressed"), "true", "pressed");
  await page.click('[data-filter=""]');
  // Search, by keys alone.
  await page.keyboard.press("/");
  same(await focused(page), "search", "focus after /");
  await page.keyboard.type("FLAKY  learned");
  same(await shown(page), 1, "programs with both words");
  await page.keyboard.type(" nowhere");
  same(await shown(page), 0, "programs with a word that is nowhere");
  ok(await page.locator("#nothing").isVisible(), "nobody says that there is nothing");
  await page.keyboard.press("Escape");
  same(await shown(page), 10, "programs after Escape");
  // From line to line.
  await page.keyboard.press("j");
  const first = await focused(page);
  await page.keyboard.press("j");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("k");
  const ids = await page.$$eval(".program", all => all.map(e => e.id));
  same([first, await focused(page)], [ids[0], ids[1]], "lines after j and k");
  ok(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle !== "none"), "the focus is not seen");
  await page.keyboard.press("Enter");
  ok(await page.evaluate(() => document.activeElement.parentElement.open), "Enter does not unfold a line");
  await page.keyboard.press("Escape");
  ok(await page.evaluate(() => !document.activeElement.parentElement.open), "Escape does not fold it");
  // Tab goes through all and comes to an end: there is no trap.
  await page.evaluate(() => { for (const d of document.querySelectorAll("details")) d.open = true; document.querySelector(".skip").focus(); });
  const seen = new Set(["the link to the programs"]);
  for (let n = 0; n < 400; n++) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      const e = document.activeElement;
      if (e === document.body) return null;
      e.dataset.n ??= String(window.visits = (window.visits ?? 0) + 1);
      return e.dataset.n;
    });
    if (at === null || seen.has(at)) break;
    seen.add(at);
  }
  const reachable = await page.$$eval("summary, button, input, a[href], [tabindex='0']", all => all.filter(e => e.checkVisibility() && e.tabIndex >= 0 && !e.closest("dialog")).length);
  ok(seen.size >= reachable, `Tab reaches ${seen.size} of ${reachable}`);
  // Attempts.
  const tabs = page.locator('.program:has([role=tab]) >> nth=0').locator("[role=tab]");
  await tabs.nth(0).click();
  same(await tabs.nth(0).getAttribute("aria-selected"), "true", "the first attempt");
  await page.keyboard.press("ArrowRight");
  same(await tabs.nth(1).getAttribute("aria-selected"), "true", "the second attempt after →");
  same(await page.locator(".program:has([role=tab]) >> nth=0").locator("[role=tabpanel]:visible").count(), 1, "attempts to be seen");
  // Help.
  await page.keyboard.press("?");
  ok(await page.locator("#help").isVisible(), "? shows no help");
  await page.keyboard.press("Escape");
  ok(!await page.locator("#help").isVisible(), "Escape does not close the help");
  // Theme.
  const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.click("#theme");
  const light = await back();
  await page.click("#theme");
  ok(light !== await back(), "the themes look alike");
  await page.click("#theme");
  await page.close();
};

const traced = async () => {
  const page = await open("traced");
  await page.locator(".copy").first().click();
  await page.locator(".copy", { hasText: "Copied" }).first().waitFor({ timeout: 20000 }).catch(() => ok(false, "the command was not copied"));
  await page.locator(".shot").first().click();
  ok(await page.locator("#large svg").isVisible(), "the picture does not open");
  await page.keyboard.press("Escape");
  ok(!await page.locator("#large").isVisible(), "the picture does not close");
  ok(await page.evaluate(() => document.activeElement.classList.contains("shot")), "the focus does not come back");
  ok(await page.evaluate(() => [...document.querySelectorAll(".film img")].every(i => i.complete && i.naturalWidth > 0)), "a picture of the film is not shown");
  await page.close();
};

const hostile = async () => {
  for (const name of ["hostile", "scripted"]) {
    const page = await open(name);
    await page.evaluate(() => { for (const d of document.querySelectorAll("details")) d.open = true; });
    ok(await page.evaluate(() => !document.querySelector("img[onerror], script[src]") && window.owned === undefined), `${name}: a text became an element`);
    // What the policy is for: script that got in would not run, nor ask for anything.
    page.removeAllListeners("console"); // it complains of this, as it should
    await page.evaluate(() => {
      document.querySelector("#list").insertAdjacentHTML("beforeend", '<p onclick="window.owned=1" id="in">x</p>');
      document.querySelector("#in").click();
    }).catch(() => {});
    ok(await page.evaluate(() => window.owned === undefined), `${name}: an inline handler runs`);
    await page.close();
  }
};

const look = async () => {
  for (const name of ["mixed", "traced"]) for (const scheme of ["light", "dark"]) for (const [width, height] of [[1280, 900], [375, 800]]) {
    const page = await open(name, { scheme, width, height });
    await page.evaluate(() => { for (const d of document.querySelectorAll("details")) d.open = true; });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    ok(wide <= 0, `${name}: ${wide} pixels too wide at ${width}`);
    if (width > 500 || scheme === "light") await accessible(page, `${name}, ${scheme}, ${width}`);
    await page.close();
  }
};

const large = async () => {
  const page = await open("large", { data: true });
  await page.locator(".loading").waitFor({ state: "detached", timeout: 20000 }).catch(() => ok(false, "the lines are not loaded"));
  same(await page.locator(".program").count(), job.large, "programs of the large run");
  await page.fill("#search", "program-01234");
  same(await shown(page), 1, "programs of that name");
  await page.keyboard.press("Escape");
  await page.evaluate(() => { document.querySelector("#search").value = "program-01234"; document.querySelector("#search").dispatchEvent(new Event("input")); });
  await page.locator(".program:visible > summary").click();
  await page.locator(".program:visible .steps li").first().waitFor({ timeout: 20000 }).catch(() => ok(false, "the body of a line is not loaded"));
  await page.close();
  const alone = await context.newPage();
  await alone.goto(pathToFileURL(job.pages.alone).href);
  await alone.locator(".loading", { hasText: "is not next to this file" }).waitFor({ timeout: 20000 }).catch(() => ok(false, "nobody says that the folder is missing"));
  await alone.close();
};

// How long the page takes to be there, and a search to be shown: until the
// next frame is drawn.
const timing = async () => {
  for (const name of ["large", "full"]) {
    const began = performance.now();
    const page = await open(name, { data: true });
    await page.locator(".loading").waitFor({ state: "detached", timeout: 60000 });
    await page.evaluate(() => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r))));
    console.log(`time open-${name} ${Math.round(performance.now() - began)}`);
    const times = await page.evaluate(async () => {
      const search = document.querySelector("#search"), times = [];
      for (const text of ["p", "pro", "program-01", "program-0123", "numbers", "nowhere", ""]) {
        const start = performance.now();
        search.value = text;
        search.dispatchEvent(new Event("input"));
        await new Promise(r => requestAnimationFrame(() => setTimeout(r)));
        times.push(Math.round(performance.now() - start));
      }
      return times;
    });
    console.log(`searches of ${name}: ${times} ms`);
    console.log(`time search-${name}-first ${times[0]}`);
    console.log(`time search-${name}-most ${Math.max(...times.slice(1))}`);
    await page.close();
  }
};

try {
  if (job.timed) await timing();
  else for (const part of [mixed, traced, hostile, look, large]) await part();
} catch (e) {
  ok(false, String(e?.stack ?? e));
} finally {
  await context.close();
}
process.exit(wrong ? 1 : 0);
