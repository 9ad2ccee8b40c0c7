"use strict";
(function () {
  var root = document.getElementById("view");
  if (!root) return;
  var data = JSON.parse(document.getElementById("runs").textContent);
  var text = data.strings;
  var byId = function (id) { return document.getElementById(id); };
  // add appends a new element to another one.
  var add = function (parent, name, className, content) {
    var e = parent.appendChild(document.createElement(name));
    if (className) e.className = className;
    if (content !== undefined) e.textContent = content;
    return e;
  };

  // A run holds its steps, the chosen one, and the state after that, which moves along by differences.
  var runs = data.runs.map(function (r, i) {
    var section = root.querySelector('.run[data-run="' + i + '"]');
    var run = {
      data: r, section: section, scroll: section.querySelector(".scroll"), rows: new Map(), parts: new Map(),
      first: r.steps.length ? r.steps[0].n : 0, shown: [], chosen: -1, state: new Map(), order: new Map(), index: null
    };
    gather(run);
    r.initial.forEach(function (f) { put(run, f[0], f[1], f[2]); });
    run.at = run.first - 1;
    return run;
  });
  // lane returns the short name of a node or goroutine.
  function lane(run, node) { return run.data.nodes[node].split(" ")[0]; }
  var names = data.goroutines ? ["failing run", "passing run"] : ["error run", "live run"];
  var active = 0, other = function () { return runs[1 - active]; };

  // gather finds the visible elements of steps. Ticks have some only while they are not folded.
  function gather(run) {
    run.rows.clear();
    run.parts.clear();
    run.index = null;
    run.section.querySelectorAll("[data-step]").forEach(function (g) {
      if (g.closest("[hidden]")) return;
      var n = Number(g.dataset.step);
      if (g.classList.contains("step")) run.rows.set(n, g);
      if (!run.parts.has(n)) run.parts.set(n, []);
      run.parts.get(n).push(g);
    });
    run.shown = Array.from(run.rows.keys());
  }
  function place(node, field) { return node + " " + text[field]; }
  function put(run, node, field, value) {
    var p = place(node, field);
    if (!run.order.has(p)) run.order.set(p, run.order.size);
    if (value) run.state.set(p, value); else run.state.delete(p);
  }
  function step(run, n) { return run.data.steps[n - run.first]; }
  // move makes run.state the state after step n.
  function move(run, n) {
    for (; run.at < n; run.at++) {
      (step(run, run.at + 1).c || []).forEach(function (c) { put(run, c[0], c[1], c[3]); });
    }
    for (; run.at > n; run.at--) {
      (step(run, run.at).c || []).slice().reverse().forEach(function (c) { put(run, c[0], c[1], c[2]); });
    }
  }
  // counterpart is the corresponding step of the other run, and whether it has the same event.
  function counterpart(run, n) {
    var m = (run.data.match || [])[n - run.first];
    return m === undefined ? {step: n, same: false} : {step: Math.abs(m), same: m > 0 || n === 0};
  }
  function nearest(run, n) {
    var best = run.shown[0];
    run.shown.forEach(function (s) { if (s <= n) best = s; });
    return best;
  }

  function mark(run, n) {
    if (run.chosen >= 0) (run.parts.get(run.chosen) || []).forEach(function (g) { g.classList.remove("sel"); });
    run.chosen = n;
    (run.parts.get(n) || []).forEach(function (g) { g.classList.add("sel"); });
    var row = run.rows.get(n);
    run.section.querySelectorAll('[aria-current="step"]').forEach(function (g) { g.removeAttribute("aria-current"); });
    if (row) {
      row.setAttribute("aria-current", "step");
      var box = row.querySelector(".hit").getBoundingClientRect(), frame = run.scroll.getBoundingClientRect();
      var above = frame.top + 70, below = frame.bottom - 60;
      if (box.top < above) run.scroll.scrollTop -= above - box.top + frame.height / 3;
      else if (box.bottom > below) run.scroll.scrollTop += box.bottom - below + frame.height / 3;
    }
    move(run, n);
  }
  function choose(n) {
    var run = runs[active];
    if (!run.shown.length) return;
    mark(run, nearest(run, n));
    if (runs.length > 1 && byId("together").checked) mark(other(), nearest(other(), counterpart(run, run.chosen).step));
    show();
  }
  function by(delta) {
    var run = runs[active], i = run.shown.indexOf(run.chosen), to = Math.max(0, Math.min(run.shown.length - 1, i + delta));
    if (to !== i) choose(run.shown[to]);
  }
  function sameNode(delta) {
    var run = runs[active], node = step(run, run.chosen).o, i = run.shown.indexOf(run.chosen) + delta;
    while (i >= 0 && i < run.shown.length && step(run, run.shown[i]).o !== node) i += delta;
    if (i >= 0 && i < run.shown.length) choose(run.shown[i]);
  }
  // matching moves the other run to its next step with the same event.
  function matching() {
    if (runs.length < 2) return;
    var found = counterpart(runs[active], runs[active].chosen);
    if (!found.same || !other().rows.has(found.step)) { say("the other run has no such event"); return; }
    mark(other(), found.step);
    show();
    say("the matching step: " + found.step);
  }
  // critical goes to the critical step, or else to the step with the finding.
  function critical() {
    for (var i = 0; i < 2 * runs.length; i++) {
      var run = runs[i % runs.length].data, to = i < runs.length ? run.critical : run.found;
      if (to) { active = i % runs.length; choose(to); return; }
    }
    choose(runs[active].data.start);
  }

  // What led to the chosen step, or everything.
  function past() {
    runs.forEach(function (run, i) {
      var only = byId("past").checked && i === active, led = new Set([run.chosen]);
      for (var n = run.chosen; only && n >= run.first; n--) {
        if (led.has(n)) (step(run, n).p || []).forEach(function (c) { led.add(c); });
      }
      run.parts.forEach(function (parts, n) {
        parts.forEach(function (g) { g.classList.toggle("apart", only && !led.has(n)); });
      });
    });
  }

  // ticks shows each step of the folds, or folds them again.
  function ticks() {
    var each = byId("ticks").checked;
    runs.forEach(function (run) {
      run.section.querySelectorAll(".sel").forEach(function (g) { g.classList.remove("sel"); });
      run.section.querySelectorAll(".folded").forEach(function (e) { e.hidden = each; });
      run.section.querySelectorAll(".each").forEach(function (e) { e.hidden = !each; });
      gather(run);
      if (run.shown.length) mark(run, nearest(run, run.chosen));
    });
    find();
    show();
  }

  var search = byId("search"), matches = [];
  function index(run) {
    run.index = run.index || run.shown.map(function (n) {
      var s = step(run, n);
      return [n + " " + text[s.t || 0], text[s.s || 0]].concat((s.l || []).map(function (l) { return text[l]; }),
        (s.c || []).map(function (c) { return lane(run, c[0]) + "." + text[c[1]] + " " + text[c[2]] + " " + text[c[3]]; }),
        (s.b || []).concat(s.m || []).map(function (p) { return text[p]; }), [text[s.e || 0]]).join("\n").toLowerCase();
    });
    return run.index;
  }
  function find() {
    var wanted = search.value.trim().toLowerCase();
    runs.forEach(function (run, i) {
      var hits = [];
      if (wanted) index(run).forEach(function (t, k) { if (t.indexOf(wanted) >= 0) hits.push(run.shown[k]); });
      run.rows.forEach(function (row, n) { row.classList.toggle("match", hits.indexOf(n) >= 0); });
      if (i === active) matches = hits;
    });
    say(!wanted ? "" : matches.length ? matches.length + (matches.length === 1 ? " match" : " matches") : "no match");
  }
  function toMatch(delta) {
    find();
    if (!matches.length) return;
    var at = runs[active].chosen, there = matches.filter(function (n) { return delta > 0 ? n > at : n < at; });
    if (!there.length) there = matches;
    var to = there[delta > 0 ? 0 : there.length - 1];
    choose(to);
    say((matches.indexOf(to) + 1) + " of " + matches.length);
  }
  function say(words) { byId("found").textContent = words; }

  var last = function () { var r = runs[active]; return r.shown[r.shown.length - 1]; };
  function show() {
    var run = runs[active], s = step(run, run.chosen);
    runs.forEach(function (r, i) { r.section.classList.toggle("active", i === active); });
    root.classList.toggle("moved", active > 0 || run.chosen !== run.data.start); // the step precedes the summary
    byId("at").textContent = "step " + run.chosen + " of " + last();
    if (active === 0) history.replaceState(null, "", "#step=" + run.chosen);
    showStep(run, s);
    showStates(run, s);
    showDifference();
    past();
  }

  // addressed returns the chosen step of the first run that the address holds, so that a link leads there.
  function addressed() {
    var m = /^#step=(\d+)$/.exec(location.hash);
    return m ? Number(m[1]) : -1;
  }

  // inView brings the states of a step that was chosen by a key into view.
  function inView() {
    if (byId("step").getBoundingClientRect().top > innerHeight - 150) root.scrollIntoView({block: "start"});
  }
  function showStep(run, s) {
    var box = byId("step");
    box.textContent = "";
    add(box, "h3", "", "Step " + s.n + (runs.length > 1 ? ", " + names[active] : ""));
    add(box, "p", "mono", text[s.t || 0]);
    if (s.s) add(box, "p", "mono soft", text[s.s]);
    showCode(box, s.s);
    if (run.data.critical === s.n && s.n > 0) add(box, "p", "alert", "the critical step");
    if (s.e) add(box, "p", "alert", "the violation: " + text[s.e]);
    if (!data.unjudged) add(box, "p", s.v ? "fine" : "soft", s.v ? "The state after it is live." : "The state after it is not live.");
    (s.b || []).forEach(function (p) { add(box, "p", "", "no longer: " + text[p]); });
    (s.m || []).forEach(function (p) { add(box, "p", "", "holds again: " + text[p]); });
    if (s.l) add(box, "pre", "", s.l.map(function (l) { return text[l]; }).join("\n"));
    else if (!data.goroutines) add(box, "p", "soft", "no effects");
  }

  // showCode shows the source around a place.
  function showCode(box, at) {
    var code = (data.code || {})[at];
    if (!code) return;
    var pre = add(box, "pre", "code");
    pre.tabIndex = 0;
    pre.setAttribute("role", "region");
    pre.setAttribute("aria-label", "source code of the step");
    text[code[2]].split("\n").forEach(function (line, i) {
      add(pre, i === code[1] ? "mark" : "span", "", String(code[0] + i).padStart(5) + "  " + line + "\n");
    });
  }

  // fields lists the places of a node, those of one field of the service together.
  function fields(run, node, more) {
    var lead = node + " ", roots = new Map();
    Array.from(new Set(Array.from(run.state.keys()).concat(more))).filter(function (p) {
      return p.indexOf(lead) === 0;
    }).sort(function (a, b) { return run.order.get(a) - run.order.get(b); }).forEach(function (p) {
      var r = p.slice(lead.length).split(/[.\[]/)[0];
      if (!roots.has(r)) roots.set(r, []);
      roots.get(r).push(p);
    });
    return [].concat.apply([], Array.from(roots.values(), function (list) { return list.sort(byNumbers); }));
  }
  function byNumbers(a, b) { return a.localeCompare(b, "en", {numeric: true}); }
  // hasParts tells whether parts of a place are shown instead of itself, as elements of a list that is not empty.
  function hasParts(run, whole) {
    return Array.from(run.state.keys()).some(function (p) { return p.indexOf(whole + "[") === 0 || p.indexOf(whole + ".") === 0; });
  }
  function showStates(run, s) {
    var box = byId("states"), changed = new Map((s.c || []).map(function (c) { return [place(c[0], c[1]), c[2]]; }));
    var old = box.querySelector(".ended"), ended = run.data.order.filter(function (node) { return hasEnded(run, node); });
    var folded = document.createElement("details"), short = function (node) { return lane(run, node); };
    folded.className = "ended";
    folded.open = !!old && old.open;
    add(folded, "summary", "", ended.length + " goroutines have ended: " + ended.map(short).join(" "));
    box.textContent = "";
    run.data.order.forEach(function (node) {
      var div = add(ended.length > 1 && ended.indexOf(node) >= 0 ? folded : box, "div", "node" + (node === s.o ? " own" : ""));
      add(div, "h3", "", run.data.nodes[node]);
      var table = add(div, "table");
      var all = fields(run, node, Array.from(changed.keys())), left = 0, same = 0;
      all.forEach(function (p) {
        if (byId("brief").checked && !changed.has(p)) { left++; return; }
        if (constant(p) && !byId("constants").checked) { same++; return; }
        if (!run.state.get(p) && hasParts(run, p)) return;
        var row = add(table, "tr", changed.has(p) ? "changed" : "");
        add(row, "td", "", p.slice(p.indexOf(" ") + 1));
        var cell = add(row, "td"), pair = ["", shown(run, p, "gone")];
        if (changed.has(p) && changed.get(p)) {
          pair = cutPair(text[changed.get(p)], pair[1], 60);
          add(cell, "del", "old", pair[0]);
          cell.appendChild(document.createTextNode(" "));
          cell.title = text[changed.get(p)] + "\n" + shown(run, p, "gone");
        }
        cell.appendChild(document.createTextNode(pair[1]));
      });
      if (same) add(div, "p", "soft", same + (same === 1 ? " field never changes" : " fields never change"));
      if (left) add(div, "p", "soft", left === all.length ? left + " fields, as before" : left + " more, as before");
    });
    if (ended.length > 1) box.appendChild(folded);
  }
  function hasEnded(run, node) {
    var all = data.ended ? fields(run, node, []) : [];
    return all.length === 1 && run.state.get(all[0]) === data.ended;
  }
  function shown(run, p, none) {
    return run.state.get(p) ? text[run.state.get(p)] : p.endsWith(" (node)") ? "up" : none;
  }
  // addDiffering adds the keys whose values differ in two maps to a set.
  function addDiffering(a, b, keys) {
    a.forEach(function (v, k) { if (b.get(k) !== v) keys.add(k); });
    b.forEach(function (v, k) { if (a.get(k) !== v) keys.add(k); });
  }
  function showDifference() {
    var box = byId("difference");
    if (runs.length < 2) return;
    box.textContent = "";
    var a = runs[0], b = runs[1], places = new Set();
    addDiffering(a.state, b.state, places);
    add(box, "h3", "", places.size ? "Differences of the two runs" : "The two runs are in the same node states");
    var match = counterpart(a, a.chosen), how = match.step !== b.chosen ? "" : match.same ? ", the matching step" : ", as the " + names[1] + " has no matching step";
    add(box, "p", "soft", names[0] + " after step " + a.chosen + ", " + names[1] + " after step " + b.chosen + how);
    if (!places.size) return;
    var table = add(box, "table"), head = add(table, "tr");
    ["field", names[0], names[1]].forEach(function (h) { add(head, "th", "", h); });
    Array.from(places).filter(function (p) { return !hasParts(a, p) && !hasParts(b, p); }).sort(byNumbers).forEach(function (p) {
      var row = add(table, "tr"), pair = [shown(a, p, "none"), shown(b, p, "none")];
      add(row, "td", "", lane(a, p.slice(0, p.indexOf(" "))) + "." + p.slice(p.indexOf(" ") + 1));
      row.title = pair.join("\n");
      cutPair(pair[0], pair[1], 60).forEach(function (value) { add(row, "td", "", value); });
    });
  }

  // cutPair shortens two texts around the first place where they differ.
  function cutPair(a, b, n) {
    var x = Array.from(a), y = Array.from(b), longest = Math.max(x.length, y.length), same = 0;
    while (same < Math.min(x.length, y.length) && x[same] === y[same]) same++;
    var from = Math.max(0, Math.min(same - Math.floor(n / 3), longest - n));
    return [x, y].map(function (r) {
      if (from > 0) r = ["…"].concat(r.slice(from + 1));
      return (r.length > n ? r.slice(0, n - 1).concat("…") : r).join("");
    });
  }

  // constant tells whether a field has the same value after every step of every run.
  var varying = null;
  function constant(p) {
    if (!varying) {
      varying = new Set();
      var initial = runs.map(function (run) {
        return new Map(run.data.initial.map(function (f) { return [place(f[0], f[1]), text[f[2]]]; }));
      });
      runs.forEach(function (run, i) {
        addDiffering(initial[0], initial[i], varying);
        run.data.steps.forEach(function (s) { (s.c || []).forEach(function (c) { varying.add(place(c[0], c[1])); }); });
      });
    }
    return !varying.has(p);
  }

  function theme() {
    var dark = matchMedia("(prefers-color-scheme: dark)").matches, now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
    document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
  }
  var actions = {
    next: function () { by(1); }, previous: function () { by(-1); }, critical: critical, theme: theme,
    help: function () { byId("keys").hidden = !byId("keys").hidden; }
  };
  function escape() {
    byId("keys").hidden = true;
    search.value = "";
    find();
  }
  function view(e) { if (e) e.scrollIntoView({block: "nearest"}); }
  var nextOfNode = function () { sameNode(1); }, previousOfNode = function () { sameNode(-1); };
  // The letters are those of macemc mdb, where that has the same.
  var keys = {
    j: actions.next, n: actions.next, ArrowDown: actions.next, k: actions.previous, p: actions.previous, ArrowUp: actions.previous,
    N: nextOfNode, ArrowRight: nextOfNode, P: previousOfNode, ArrowLeft: previousOfNode,
    PageDown: function () { by(10); }, PageUp: function () { by(-10); },
    Home: function () { choose(runs[active].shown[0]); }, End: function () { choose(last()); },
    c: critical, m: matching, t: theme, "?": actions.help, Escape: escape,
    l: function () { if (runs.length > 1) { active = 1 - active; show(); } },
    w: function () { byId("past").checked = !byId("past").checked; past(); },
    f: function () { byId("brief").checked = !byId("brief").checked; show(); },
    g: function () { view(runs[active].section); }, d: function () { view(byId("difference")); }, s: function () { view(byId("step").querySelector(".code") || document.querySelector(".code")); },
    r: function () { toMatch(1); }, R: function () { toMatch(-1); },
    "/": function () { search.focus(); search.select(); }
  };
  var away = {g: true, d: true, s: true, "/": true, Escape: true, "?": true};
  document.addEventListener("keydown", function (ev) {
    if (ev.ctrlKey || ev.metaKey || ev.altKey) return;
    if (ev.target === search) {
      if (ev.key === "Enter") { toMatch(ev.shiftKey ? -1 : 1); ev.preventDefault(); }
      if (ev.key === "Escape") { escape(); search.blur(); }
      return;
    }
    if (ev.target.closest("summary, pre") && ev.key.indexOf("Arrow") === 0) return;
    if (keys.hasOwnProperty(ev.key)) { keys[ev.key](); ev.preventDefault(); if (!away[ev.key]) inView(); }
  });
  search.addEventListener("input", find);
  byId("past").addEventListener("change", past);
  if (byId("ticks")) byId("ticks").addEventListener("change", ticks);
  byId("brief").addEventListener("change", show);
  byId("constants").addEventListener("change", show);
  // Long states are shown by what changed, unless the reader wants more.
  byId("brief").checked = runs.some(function (run) { return run.state.size > 80; });
  root.querySelectorAll("[data-do]").forEach(function (b) {
    b.addEventListener("click", function () { actions[b.dataset.do](); b.blur(); });
  });
  runs.forEach(function (run, i) {
    run.section.addEventListener("click", function (ev) {
      active = i;
      if (byId("ticks") && ev.target.closest(".ticks")) { byId("ticks").checked = true; ticks(); return; }
      var out = ev.target.closest("g.left-out");
      if (out) {
        var details = run.section.querySelectorAll('details.left-out[data-from="' + out.dataset.from + '"]');
        details.forEach(function (e) { e.open = true; view(e); });
      }
      if (ev.target.closest("details")) return;
      var at = ev.target.closest("[data-step]");
      if (at && run.rows.has(Number(at.dataset.step))) choose(Number(at.dataset.step));
      else show();
    });
  });
  if (!runs.some(function (r) { return r.data.critical; })) {
    var toFinding = root.querySelector('[data-do="critical"]');
    toFinding.textContent = "violation";
    toFinding.title = "the step with the violation (c)";
    toFinding.hidden = !runs.some(function (r) { return r.data.found; });
  }
  root.querySelectorAll(".two").forEach(function (e) { if (runs.length < 2) e.hidden = true; });

  runs.forEach(function (run) { if (run.shown.length) mark(run, nearest(run, run.data.start)); });
  if (runs.length > 1 && runs[0].chosen >= 0 && counterpart(runs[0], runs[0].chosen).same) {
    mark(runs[1], nearest(runs[1], counterpart(runs[0], runs[0].chosen).step));
  }
  if (runs.length && runs[0].shown.length) {
    if (addressed() >= 0) choose(addressed()); else show();
  }
  window.addEventListener("hashchange", function () {
    if (addressed() >= 0 && addressed() !== runs[0].chosen) { active = 0; choose(addressed()); }
  });
})();
