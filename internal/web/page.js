"use strict";
(function () {
  const byId = function (id) { return document.getElementById(id); };
  const make = function (name, className, content) {
    const e = document.createElement(name);
    if (className) e.className = className;
    if (content !== undefined) e.textContent = content;
    return e;
  };
  const line = byId("line");
  let view = null, over = false, stopped = "", beside = false;

  // Commands are executed one after the other. Those that are given meanwhile wait.
  const waiting = [];
  let busy = null;
  function run(command) {
    if (over) return;
    waiting.push(command);
    if (!busy) work();
  }
  async function work() {
    while (waiting.length && !over) await execute(waiting.shift());
  }
  function stop() {
    waiting.length = 0;
    if (busy) busy.abort();
  }

  async function post(name, command, signal) {
    try {
      const response = await fetch(name, {
        method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({line: command, beside: beside}), signal: signal
      });
      return response.ok ? await response.json() : {refused: await response.text()};
    } catch (e) {
      if (e.name === "AbortError") throw e;
      return {gone: true};
    }
  }

  async function execute(command) {
    busy = new AbortController();
    const late = setTimeout(function () { say("executing " + command + "; Esc stops it"); }, 400);
    try {
      const before = view, o = await post("do", command, busy.signal);
      clearTimeout(late);
      if (o.gone) end("macemc has ended; the terminal in which it was started says why.");
      else if (o.over) end("The session is over.");
      else if (o.refused) say(o.refused, true);
      else show(o, command, before);
    } catch (e) {
      clearTimeout(late);
      if (e.name !== "AbortError") throw e;
      stopped = command + " was stopped";
      waiting.unshift(""); // shows where the session is
    } finally {
      busy = null;
    }
  }

  function end(why) {
    over = true;
    say(why, true);
    document.querySelectorAll("button, input").forEach(function (e) { if (e.dataset.do !== "theme") e.disabled = true; });
  }
  function say(words, bad) {
    byId("found").textContent = words;
    byId("found").classList.toggle("alert", !!bad);
  }

  function button(text, command, className) {
    const b = make("button", className, text);
    b.type = "button";
    b.dataset.line = command;
    return b;
  }
  function name(node) { return node < 0 ? "network" : view.At.Goroutines ? "g" + (node + 1) : "n" + node; }
  function list(of) { return of || []; }

  function showOutput(o, command, text) {
    showText("output", "Output", (command ? ": " + command + "\n" : "") + text + (o.error ? "\nerror: " + o.error : ""));
  }

  function show(o, command, before) {
    if (!o.view.At.Run) { // the process of the session has ended
      showOutput(o, command, "");
      end(o.error || o.view.Err);
      return;
    }
    view = o.view;
    const moved = !before || before.At.Step !== view.At.Step || before.At.Run !== view.At.Run;
    const text = o.text.replace(/\n+$/, ""), brief = !text.includes("\n") && !moved;
    if (o.stopped) stopped = command + " was stopped";
    const wrong = o.error || view.Err || stopped;
    say(wrong || (brief ? text.trim() : ""), wrong);
    stopped = "";
    const p = view.At;
    document.title = "macemc mdb " + p.System;
    byId("title").textContent = p.System;
    byId("at").textContent = p.Run + ", step " + p.Step + " of " + p.Last;
    showImage();
    showStep();
    showOptions();
    showProperties();
    showText("monitors", "Monitors", list(view.Monitors).join("\n"));
    showRuns();
    showText("difference", "Difference", list(view.Differences).join("\n"));
    showStates();
    showSource();
    if (command || text) showOutput(o, command, text);
    if (command && text && !moved && !brief) byId("output").scrollIntoView({block: "nearest"});
  }

  function showText(id, title, text) {
    const box = byId(id);
    box.textContent = "";
    if (!text) return;
    box.appendChild(make("h2", "", title));
    const pre = make("pre", "", text);
    pre.tabIndex = 0;
    pre.setAttribute("role", "region");
    pre.setAttribute("aria-label", title.toLowerCase());
    box.appendChild(pre);
  }

  // showSource marks the line of the step.
  function showSource() {
    const lines = list(view.Source);
    showText("source", "Source", lines.join("\n"));
    if (lines.length < 2) return;
    const pre = byId("source").querySelector("pre");
    pre.textContent = "";
    lines.forEach(function (text, i) {
      if (i) pre.append("\n");
      pre.append(text.startsWith("=>") ? make("mark", "", text) : text);
    });
  }

  // The image and the legend are drawn by the session, which escapes all text of the run.
  function showImage() {
    draw("", view.Image, view.At.Run, view.At.Last);
    byId("legend").innerHTML = view.Image.Legend;
    const row = mark("", view.At.Step), scroll = byId("scroll"), frame = scroll.getBoundingClientRect();
    if (row) {
      const at = row.getBoundingClientRect();
      if (at.top < frame.top + 40) scroll.scrollTop -= frame.top + 40 - at.top + frame.height / 3;
      else if (at.bottom > frame.bottom - 20) scroll.scrollTop += at.bottom - frame.bottom + frame.height / 3;
    }
    showBeside(row);
  }
  function draw(prefix, image, run, length) {
    byId(prefix + "names").innerHTML = image.Names;
    byId(prefix + "steps").innerHTML = image.Steps;
    const numbers = Array.from(byId(prefix + "steps").querySelectorAll(".step"), function (g) { return Number(g.dataset.step); });
    const first = Math.min(...numbers), last = Math.max(...numbers);
    byId(prefix + "drawn").textContent = "Steps" + (first > 0 || last < length ? " " + first + " to " + last + " of " + length : "") + " of " + run;
  }
  // mark selects a step, and returns its row.
  function mark(prefix, step) {
    let row = null;
    byId(prefix + "steps").querySelectorAll('[data-step="' + step + '"]').forEach(function (g) {
      g.classList.add("sel");
      if (!g.classList.contains("step")) return;
      g.setAttribute("aria-current", "step");
      row = g.querySelector(".hit");
    });
    return row;
  }

  // The other run is drawn with the matching step at the height of the current step. Steps that only one of the runs has are marked.
  function showBeside(row) {
    const o = view.Comparison, shown = beside && o.Run !== "";
    byId("stage").classList.toggle("beside", shown);
    byId("other").hidden = !shown;
    byId("beside").setAttribute("aria-pressed", String(beside));
    if (!beside) return;
    if (!shown) {
      say(o.Why, true);
      return;
    }
    draw("other-", o.Image, o.Run, o.Last);
    byId("other-drawn").textContent += ", step " + o.Step + (o.Same ? " matches" : " has the same number; no step matches");
    const there = mark("other-", o.Step);
    list(view.Comparison.Here).forEach(function (n) { only("", n); });
    list(view.Comparison.Only).forEach(function (n) { only("other-", n); });
    const sign = make("span", "", " only in one of the runs");
    sign.prepend(make("span", "only"));
    byId("legend").appendChild(sign);
    const steps = byId("other-steps");
    steps.style.paddingTop = "0";
    if (!row || !there) return;
    const apart = function () { return offset(there, "other-scroll") - offset(row, "scroll"); };
    byId("other-scroll").scrollTop += apart();
    if (apart() < 0) steps.style.paddingTop = -apart() + "px";
  }
  function offset(row, scroll) { return row.getBoundingClientRect().top - byId(scroll).getBoundingClientRect().top; }
  function only(prefix, step) {
    byId(prefix + "steps").querySelectorAll('.step[data-step="' + step + '"]').forEach(function (g) { g.classList.add("match"); });
  }

  function showStep() {
    const box = byId("step"), p = view.At;
    box.textContent = "";
    box.appendChild(make("h2", "", "Step " + p.Step + (p.Node >= 0 ? ", " + name(p.Node) + " is selected" : "")));
    box.appendChild(make("p", "mono", view.Summary));
    if (p.Critical > 0 && p.Step === p.Critical) box.appendChild(make("p", "alert", "the critical step"));
    if (p.Finding) box.appendChild(make("p", "alert", p.Finding));
    if (!p.Goroutines) box.appendChild(make("p", p.Live ? "fine" : "soft", p.Live ? "The state after it is live." : "The state after it is not live."));
    list(view.Questions).forEach(function (q) {
      const row = make("div", "question");
      row.appendChild(make("span", "mono", q.Text));
      q.Alternatives.forEach(function (a) { row.appendChild(option(a, a.Text)); });
      box.appendChild(row);
    });
  }

  function option(o, text) {
    const b = button("", o.Command, "option" + (o.Fault ? " fault" : "") + (o.Taken ? " taken" : ""));
    if (o.Taken) b.setAttribute("aria-current", "true");
    b.title = o.Command;
    b.appendChild(document.createTextNode(text));
    return b;
  }
  function showOptions() {
    const box = byId("options"), focused = box.contains(document.activeElement), all = list(view.Options);
    box.textContent = "";
    byId("what").textContent = view.At.Goroutines ? "Who can go on before this step" : "What can happen next";
    const rows = new Map(), add = function (title, o) {
      if (!rows.has(title)) {
        const row = make("div", "of-node"), events = make("div");
        row.appendChild(make("h3", "", title));
        row.appendChild(events);
        rows.set(title, events);
        box.appendChild(row);
      }
      rows.get(title).appendChild(option(o, o.Text));
    };
    all.slice().sort(function (a, b) { return a.Fault - b.Fault || a.Node - b.Node; })
      .forEach(function (o) { add(o.Fault ? "faults" : name(o.Node), o); });
    if (!all.length) box.appendChild(make("p", "soft", "nothing"));
    else if (!view.At.Goroutines && all.every(function (o) { return o.Fault; })) box.prepend(make("p", "soft", "nothing but faults"));
    const first = box.querySelector("button");
    if (focused && first) first.focus({preventScroll: true});
  }

  function showProperties() {
    const box = byId("properties"), all = list(view.Properties);
    box.textContent = "";
    if (!all.length) return;
    const table = make("table");
    box.appendChild(make("h2", "", "Properties"));
    all.forEach(function (p) {
      const row = make("tr"), what = make("td", "", p.Name);
      if (p.Why) what.appendChild(make("div", "soft why", p.Why));
      row.appendChild(make("td", "", p.Kind));
      row.appendChild(make("td", p.State === "holds" ? "fine" : p.State === "not yet" ? "soft" : "alert", p.State));
      row.appendChild(make("td", "soft", p.Since));
      row.appendChild(what);
      table.appendChild(row);
    });
    box.appendChild(table);
  }

  function showRuns() {
    const table = byId("list");
    table.textContent = "";
    list(view.Runs).forEach(function (r) {
      const row = make("tr"), go = make("td"), compare = make("td");
      go.appendChild(button(r.Name, "run " + r.Name, r.Current ? "current" : ""));
      if (r.Current) go.firstChild.setAttribute("aria-current", "true");
      else compare.appendChild(button("compare", "diff " + r.Name));
      [go, make("td", "", r.Text), compare].forEach(function (td) { row.appendChild(td); });
      table.appendChild(row);
    });
    if (byId("file").dataset.run !== view.At.Run) {
      byId("file").dataset.run = view.At.Run;
      byId("file").value = view.At.Run + ".path";
    }
    byId("save").hidden = view.At.Goroutines;
  }

  function showStates() {
    const box = byId("states"), ended = list(view.States).filter(function (s) { return s.Ended; });
    const old = box.querySelector(".ended"), folded = make("details", "ended");
    let table = null;
    box.textContent = "";
    list(view.States).forEach(function (s) {
      if (!s.Path) {
        const node = make("div", "node" + (s.Changed ? " own" : "") + (s.Node === view.At.Node ? " selected" : "")), title = make("h3");
        title.appendChild(button(name(s.Node), s.Node === view.At.Node ? "node none" : "node " + name(s.Node)));
        table = make("table");
        node.appendChild(title);
        node.appendChild(table);
        (s.Ended && ended.length > 1 ? folded : box).appendChild(node);
        return;
      }
      const row = make("tr", s.Changed ? "changed" : ""), value = make("td");
      row.appendChild(make("td", "", s.Path));
      if (s.Changed && s.Old) {
        value.appendChild(make("del", "old", s.Old));
        value.appendChild(document.createTextNode(" "));
      }
      value.appendChild(document.createTextNode(s.Value));
      row.appendChild(value);
      table.appendChild(row);
    });
    if (ended.length < 2) return;
    folded.open = !!old && old.open;
    folded.prepend(make("summary", "", ended.length + " goroutines have ended: " + ended.map(function (s) { return name(s.Node); }).join(" ")));
    box.appendChild(folded);
  }

  function quote(word) { return "'" + word.replace(/'/g, "'\"'\"'") + "'"; }
  function save() {
    const file = byId("file").value.trim();
    if (file) run("save " + quote(file));
    else say("the name of a file is missing", true);
  }
  function test() {
    const current = list(view && view.Runs).find(function (r) { return r.Current; });
    const file = byId("file").value.trim();
    if (!current || !current.Unsaved) run("test");
    else if (file) run("save " + quote(file) + "; test");
    else say("the name of a file is missing", true);
  }

  function theme() {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches, now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
    document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
  }
  function sideBySide() {
    beside = !beside;
    run("");
  }
  const actions = {theme: theme, beside: sideBySide, test: test, help: function () { byId("keys").hidden = !byId("keys").hidden; }};
  function type(text) {
    line.value = text;
    line.focus();
  }
  function ofNode(command) { return function () { run(view && view.At.Node >= 0 ? command + " ." : command); }; }
  const command = function (text) { return function () { run(text); }; };
  const look = function (id) { return function () { byId(id).scrollIntoView({block: "nearest"}); }; };
  // The letters are those of the debugger in the terminal.
  const keys = {
    j: command("next"), n: command("next"), ArrowDown: command("next"), k: command("prev"), p: command("prev"), ArrowUp: command("prev"),
    N: ofNode("next"), ArrowRight: ofNode("next"), P: ofNode("prev"), ArrowLeft: ofNode("prev"),
    PageDown: command("goto +10"), PageUp: command("goto -10"), Home: command("start"), End: command("end"),
    c: command("critical"), r: command("again"), w: command("why"), b: sideBySide, x: command("node none"), q: command("quit"),
    g: look("graph"), d: look("difference"), s: look("source"), o: look("output"), t: theme, "?": actions.help,
    ":": function () { type(""); }, "/": function () { type("find event "); },
    Escape: function () { byId("keys").hidden = true; stop(); }
  };

  const past = [];
  let recall = 0;
  async function complete() {
    const head = line.value.slice(0, line.selectionStart), c = await post("complete", head), words = list(c.words);
    if (!words.length) {
      say("nothing to complete");
      return;
    }
    let same = words[0];
    words.forEach(function (w) { while (!w.startsWith(same)) same = same.slice(0, -1); });
    say(words.length > 1 ? words.join(" ") : "");
    line.setRangeText(same + (words.length === 1 && !same.endsWith("=") ? " " : ""), c.begin, head.length, "end");
  }
  line.addEventListener("keydown", function (ev) {
    if (ev.key === "Enter") {
      const text = line.value.trim();
      line.value = "";
      line.blur();
      if (text) {
        past.push(text);
        run(text);
      }
      recall = past.length;
    } else if (ev.key === "Escape") {
      line.blur();
    } else if (ev.key === "Tab" && line.value && !ev.shiftKey) {
      complete();
    } else if (ev.key === "ArrowUp" || ev.key === "ArrowDown") {
      recall = Math.max(0, Math.min(past.length, recall + (ev.key === "ArrowUp" ? -1 : 1)));
      line.value = past[recall] || "";
    } else {
      return;
    }
    ev.preventDefault();
    ev.stopPropagation();
  });
  document.addEventListener("keydown", function (ev) {
    if (ev.ctrlKey || ev.metaKey || ev.altKey || ev.target.closest("input")) return;
    if (ev.target.closest("pre") && /^(Arrow|Page|Home|End)/.test(ev.key)) return;
    const node = /^[0-9]$/.test(ev.key) && view;
    if (node) run("node " + (view.At.Goroutines ? "g" : "n") + ev.key);
    else if (keys.hasOwnProperty(ev.key)) keys[ev.key]();
    else return;
    ev.preventDefault();
  });
  document.addEventListener("click", function (ev) {
    const b = ev.target.closest("button, [data-step]");
    if (!b) return;
    if (b.dataset.line) run(b.dataset.line);
    else if (b.dataset.do) actions[b.dataset.do]();
    else if (b.dataset.step) run((b.closest("#other") ? "run " + view.Comparison.Run + " " : "goto ") + b.dataset.step);
  });
  byId("save").addEventListener("submit", function (ev) {
    ev.preventDefault();
    save();
  });
  run("");
})();
