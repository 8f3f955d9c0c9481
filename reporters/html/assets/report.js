"use strict";
(() => {
  const root = document.documentElement;
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const list = one("#list"), search = one("#search"), found = one(".found"), nothing = one("#nothing");
  root.classList.add("js");
  for (const e of all(".tools, #theme, #keys")) e.hidden = false;

  // Light and dark.
  const themes = ["system", "light", "dark"];
  const theme = one("#theme");
  const setTheme = name => {
    if (name === "system") delete root.dataset.theme; else root.dataset.theme = name;
    one("span", theme).textContent = name;
  };
  let stored = null;
  try { stored = localStorage.getItem("opendesk-theme"); } catch { /* pages may keep nothing */ }
  setTheme(themes.includes(stored) ? stored : "system");
  theme.addEventListener("click", () => {
    const next = themes[(themes.indexOf(root.dataset.theme ?? "system") + 1) % themes.length];
    setTheme(next);
    try { localStorage.setItem("opendesk-theme", next); } catch { /* the same */ }
  });

  // What each line can be found by.
  let rows = [];
  const addRows = elements => {
    for (const e of elements) rows.push({ e, status: e.dataset.status, text: null, shown: true });
  };
  const textOf = row => row.text ??= one("summary", row.e).textContent.toLowerCase().replace(/\s+/g, " ");
  let filter = "", timer = 0;
  const screenful = 60; // lines are shown at once; the others follow after the next frames
  const apply = () => {
    clearTimeout(timer);
    const hidden = [];
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let n = 0;
    for (const row of rows) {
      const show = (!filter || row.status === filter) && (!words.length || words.every(w => textOf(row).includes(w)));
      row.shown = show;
      if (show && row.e.hidden) hidden.push(row.e);
      else if (!show && !row.e.hidden) row.e.hidden = true;
      n += show;
    }
    const reveal = lines => {
      for (const e of hidden.splice(0, lines)) e.hidden = false;
      if (hidden.length) timer = setTimeout(reveal, 30, 4 * screenful);
    };
    reveal(screenful);
    found.textContent = n === rows.length ? `${n} programs` : `${n} of ${rows.length} programs`;
    nothing.hidden = n > 0 || rows.length === 0;
  };
  const setFilter = name => {
    filter = name;
    for (const b of all("[data-filter]")) b.setAttribute("aria-pressed", String(b.dataset.filter === name));
    apply();
  };
  search.addEventListener("input", apply);
  one(".filters").addEventListener("click", event => {
    const b = event.target.closest("[data-filter]");
    if (b) setFilter(b.dataset.filter);
  });
  one("#reset").addEventListener("click", () => { search.value = ""; setFilter(""); search.focus(); });

  // Attempts are tabs, commands can be copied.
  const prepare = within => { for (const b of all(".copy", within)) b.hidden = false; };
  const select = (tab, focus) => {
    for (const t of all("[role=tab]", tab.parentElement)) {
      const on = t === tab;
      t.setAttribute("aria-selected", String(on));
      t.tabIndex = on ? 0 : -1;
      document.getElementById(t.getAttribute("aria-controls")).classList.toggle("shown", on);
    }
    if (focus) tab.focus();
  };
  const copy = async button => {
    const pre = one("pre", button.parentElement);
    let done = true;
    try { await navigator.clipboard.writeText(pre.textContent); } catch {
      getSelection().selectAllChildren(pre);
      done = document.execCommand("copy");
    }
    button.textContent = done ? "Copied" : "Select and copy";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  };
  const large = one("#large"), help = one("#help");
  const enlarge = button => {
    one(".pan").replaceChildren(one("svg", button).cloneNode(true));
    large.showModal();
  };
  list.addEventListener("click", event => {
    const tab = event.target.closest("[role=tab]"), button = event.target.closest("button");
    if (tab) select(tab, true);
    else if (button?.classList.contains("copy")) copy(button);
    else if (button?.classList.contains("shot")) enlarge(button);
  });
  one("#keys").addEventListener("click", () => help.showModal());

  // Keys.
  const visible = () => rows.filter(r => r.shown).map(r => r.e);
  const move = by => {
    const lines = visible();
    if (!lines.length) return;
    const at = lines.indexOf(document.activeElement?.closest?.(".program"));
    const to = at < 0 ? (by > 0 ? 0 : lines.length - 1) : Math.min(Math.max(at + by, 0), lines.length - 1);
    const line = one("summary", lines[to]);
    line.focus({ preventScroll: true });
    line.scrollIntoView({ block: "nearest" });
  };
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || large.open || help.open) return;
    const at = event.target, inSearch = at === search;
    const onTab = at.matches?.("[role=tab]"), onLine = at.matches?.(".program > summary");
    switch (event.key) {
      case "/": if (inSearch) return; search.focus(); search.select(); break;
      case "?": if (inSearch) return; help.showModal(); break;
      case "j": if (inSearch) return; move(1); break;
      case "k": if (inSearch) return; move(-1); break;
      case "ArrowDown": if (!inSearch && !onLine) return; move(1); break;
      case "ArrowUp": if (!onLine) return; move(-1); break;
      case "ArrowLeft": case "ArrowRight": {
        if (!onTab) return;
        const tabs = all("[role=tab]", at.parentElement);
        select(tabs[(tabs.indexOf(at) + (event.key === "ArrowLeft" ? tabs.length - 1 : 1)) % tabs.length], true);
        break;
      }
      case "Escape": {
        if (inSearch || search.value) { search.value = ""; apply(); if (inSearch) search.blur(); break; }
        const open = at.closest?.(".program[open]");
        if (!open) return;
        open.open = false;
        one("summary", open).focus();
        break;
      }
      default: return;
    }
    event.preventDefault();
  });

  // What stands in other files.
  const { folder, run } = document.body.dataset;
  const wanted = new Map(); // kind and number of a file → whom its content goes to
  const load = (kind, number) => new Promise((resolve, reject) => {
    const script = document.createElement("script");
    wanted.set(`${kind} ${number}`, resolve);
    script.onload = script.onerror = () => {
      script.remove();
      if (wanted.delete(`${kind} ${number}`)) reject(new Error(`${folder}${kind}-${number}`));
    };
    script.src = `${folder}${kind}-${String(number).padStart(4, "0")}.js`;
    document.head.append(script);
  });
  window.opendeskReport = (of, kind, number, content) => {
    const take = wanted.get(`${kind} ${number}`);
    if (!take || of !== run) return;
    wanted.delete(`${kind} ${number}`);
    take(content);
  };
  const parsed = html => {
    const template = document.createElement("template");
    template.innerHTML = html;
    return template.content;
  };
  const bodies = new Map();
  const fill = async program => {
    if ("folded" in program.dataset) {
      delete program.dataset.folded;
      const text = one(":scope > script", program);
      text.replaceWith(parsed(text.textContent));
      prepare(program);
      return;
    }
    const source = Number(program.dataset.source);
    delete program.dataset.source;
    if (!source) {
      program.append(parsed('<p class="none">It passed at once. In a run of so many programs, its steps stand in results.json only.</p>'));
      return;
    }
    if (!bodies.has(source)) bodies.set(source, load("bodies", source));
    let content;
    try { content = parsed((await bodies.get(source))[program.id] ?? ""); } catch {
      bodies.delete(source);
      program.dataset.source = source;
      content = parsed('<p class="none" role="alert">What is known of this program is not in the folder next to this file.</p>');
    }
    for (const old of all(":scope > .none", program)) old.remove();
    program.append(content);
    prepare(program);
  };
  list.addEventListener("toggle", event => {
    const program = event.target;
    if (!program.classList.contains("program")) return;
    if (program.open && (program.dataset.source || "folded" in program.dataset)) fill(program);
  }, true);
  // line is a program's line, from what a file tells of it.
  const blank = one("#line")?.content.firstElementChild;
  const line = row => {
    const e = blank.cloneNode(true);
    e.id = row.id;
    e.dataset.status = row.status;
    e.dataset.source = row.source ?? 0;
    const badge = one(".badge", e), marks = one(".marks", e);
    badge.className = `badge ${row.status}`;
    badge.lastChild.data = row.status;
    one("use", badge).setAttribute("href", `#i-${row.status}`);
    one(".name", e).textContent = row.name;
    one(".path", e).textContent = row.path;
    one(".time", e).textContent = row.duration;
    if (row.reason) one(".why", e).textContent = row.reason; else one(".why", e).remove();
    const mark = marks.firstElementChild;
    if (row.marks) marks.replaceChildren(...row.marks.flatMap(text => {
      const m = mark.cloneNode();
      m.textContent = text;
      return [m, " "];
    })); else marks.remove();
    return e;
  };
  const loading = one(".loading");
  const loadAll = async () => {
    for (let n = 1; n <= Number(document.body.dataset.rows ?? 0); n++) {
      const elements = (await load("rows", n)).map(line);
      list.append(...elements);
      addRows(elements);
    }
    loading?.remove();
    apply();
  };

  // Printed, failures are unfolded.
  let unfolded = [];
  addEventListener("beforeprint", () => {
    unfolded = visible().filter(e => !e.open && !["passed", "skipped"].includes(e.dataset.status));
    for (const e of unfolded) {
      e.open = true;
      if ("folded" in e.dataset) fill(e); // printing does not wait for the event
    }
  });
  addEventListener("afterprint", () => { for (const e of unfolded) e.open = false; });

  addRows(all(".program", list));
  prepare(list);
  apply();
  loadAll().catch(() => {
    loading.textContent = `The folder ${folder} is not next to this file: what it holds cannot be shown.`;
    loading.setAttribute("role", "alert");
  });
})();
