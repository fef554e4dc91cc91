// The page works without this. It asks while the reader types, and judges files of any length part by part.
// Everything that comes back is set as text.
(function () {
  "use strict";
  var words = document.getElementById("try-words").dataset;
  var form = document.querySelector("form.trial");
  var box = document.getElementById("document");
  var file = document.getElementById("file");
  var verdict = document.getElementById("verdict");
  var MAX = 4 * 1024 * 1024, PART_ROWS = 100, PART_BYTES = 1024 * 1024, MAX_ALL = 50, MAX_SHOWN = 1000;
  var asked = null; // what is under way: an AbortController
  var timer = 0;

  function make(name, className, text) {
    var element = document.createElement(name);
    if (className) { element.className = className; }
    if (text !== undefined) { element.textContent = text; }
    return element;
  }
  function show() {
    verdict.replaceChildren.apply(verdict, arguments);
  }
  function choice() {
    var query = new URLSearchParams();
    ["operation", "date", "gateway"].forEach(function (name) {
      var field = form.elements[name];
      if (field && field.value) { query.set(name, field.value); }
    });
    return query;
  }
  function post(path, query, body, signal) {
    return fetch(words.base + path + "?" + query, {
      method: "POST", body: body, signal: signal, credentials: "same-origin", headers: { "Content-Type": "text/plain" }
    }).then(function (response) {
      return response.json().catch(function () { throw new Error(words.failed); });
    }).then(function (answer) {
      if (answer.problem) { throw new Error(answer.problem); }
      return answer;
    });
  }
  function failed(error) {
    if (error.name === "AbortError") { return; }
    show(make("p", "outcome bad", error instanceof TypeError ? words.failed : error.message));
  }
  function begin() {
    clearTimeout(timer);
    if (asked) { asked.abort(); }
    asked = new AbortController();
    return asked.signal;
  }

  // kindOf recognises what a text holds, as the server does.
  function kindOf(text) {
    var start = text.replace(/^[\uFEFF\s]+/, "");
    var end = start.indexOf("\n");
    var first = end < 0 ? start : start.slice(0, end);
    if (first.charAt(0) === "{") {
      if (end < 0 || !start.slice(end).trim()) { return ""; }
      try { JSON.parse(first); } catch (_) { return ""; }
      return "lines";
    }
    return /PtoVta/.test(first) && /CbteTipo/.test(first) && !/[<{[]/.test(first) ? "csv" : "";
  }

  function judge(text) {
    var signal = begin();
    if (!text.trim()) { show(make("p", "hint", words.empty)); return; }
    var kind = kindOf(text);
    if (kind) { judgeFile(kind, text, signal); return; }
    if (text.length > MAX) { failed(new Error(words.large)); return; }
    verdict.setAttribute("aria-busy", "true");
    post("/try/judge", choice(), text, signal).then(showVerdict).catch(failed).finally(function () {
      if (!signal.aborted) { verdict.removeAttribute("aria-busy"); }
    });
  }

  function showVerdict(v) {
    var all = [make("p", "outcome " + v.Class, v.Heading + (v.Operation ? " · " + v.Operation : ""))];
    (v.Used || []).forEach(function (text) { all.push(make("p", "note", text)); });
    if (v.Passes) { all.push(passes()); }
    if (v.Offers > 1) {
      var every = make("p");
      every.append(offer("all", words.useAll, "inline"));
      all.push(every);
    }
    (v.About || []).forEach(function (text) { all.push(make("p", "hint", text)); });
    (v.Findings || []).forEach(function (f) { all.push(findingOf(f)); });
    if (v.Rest) { all.push(make("p", "", v.Rest)); }
    if (v.Status) {
      var details = make("details");
      details.append(make("summary", "", words.answer + " · " + v.Status));
      var pre = make("pre");
      pre.tabIndex = 0;
      pre.append(make("code", "", v.Answer));
      details.append(pre);
      all.push(details);
    }
    show.apply(null, all);
  }
  // offer makes a button that has the server write a figure into the text.
  function offer(key, text, className) {
    var button = make("button", className, text);
    button.type = "submit";
    button.name = "use";
    button.value = key;
    button.setAttribute("form", "trial");
    return button;
  }
  // passes says that the request can be copied, which is never sent from here.
  function passes() {
    var note = make("p", "note", words.passes + " ");
    if (!navigator.clipboard) { return note; } // over plain HTTP from another machine
    var copy = make("button", "inline", words.copyAll);
    copy.type = "button";
    copy.addEventListener("click", function () {
      navigator.clipboard.writeText(whole()).then(function () { copy.textContent = words.copied; }, function () { copy.remove(); });
    });
    note.append(copy);
    return note;
  }
  function whole() { return held === null ? box.value : held; }
  // use has a figure written into the text, which the server leaves as it is otherwise.
  function use(key) {
    var text = whole(), signal = begin(), query = choice();
    query.set("use", key);
    verdict.setAttribute("aria-busy", "true");
    post("/try/judge", query, text, signal).then(function (v) {
      (v.Edits || []).slice().reverse().forEach(function (e) { text = text.slice(0, e.From) + e.Text + text.slice(e.To); });
      if (held !== null) {
        hold(text);
      } else if (v.Edits && v.Edits.length) {
        var at = box.scrollTop;
        box.value = text;
        box.scrollTop = at;
      }
      showVerdict(v);
      var next = verdict.querySelector("button[name=use]") || verdict;
      next.focus();
    }).catch(failed).finally(function () {
      if (!signal.aborted) { verdict.removeAttribute("aria-busy"); }
    });
  }
  function findingOf(f) {
    var article = make("article", "finding " + f.Class);
    var head = make("p"), code = make("strong");
    if (f.Known) {
      var link = make("a", "", f.Code);
      link.href = words.base + "/rules/" + encodeURIComponent(f.Code);
      code.append(link);
    } else {
      code.textContent = f.Code;
    }
    head.append(code, " · " + f.Action);
    if (f.Line) {
      var go = make("button", "secondary outline", words.line + " " + f.Line);
      go.type = "button";
      go.addEventListener("click", function () { goTo(f.Line); });
      head.append(" · ", go);
    }
    article.append(head, make("p", "", f.Text));
    var list = make("dl");
    [["place", f.Place], ["expected", f.Expected], ["got", f.Got], ["difference", f.Difference], ["tolerance", f.Tolerance]].forEach(function (pair) {
      if (!pair[1]) { return; }
      list.append(make("dt", "", words[pair[0]]));
      var value = make("dd", "number");
      value.append(pair[0] === "place" ? make("code", "", pair[1]) : pair[1]);
      list.append(value);
    });
    article.append(list);
    if (f.Use) {
      var offered = make("p", "", f.Offer + " ");
      offered.append(offer(f.Use, words.use));
      article.append(offered);
    }
    return article;
  }
  // goTo selects a line of the box.
  function goTo(line) {
    var lines = box.value.split("\n"), from = 0;
    for (var i = 0; i < line - 1 && i < lines.length - 1; i++) { from += lines[i].length + 1; }
    box.focus();
    box.setSelectionRange(from, from + (lines[line - 1] || "").length);
    box.scrollTop = Math.max(0, (line - 4) * (box.scrollHeight / lines.length));
  }

  // partsOf parts a file: each part has some rows, and the number of its first line. A row of a sheet may have
  // line breaks within quotes.
  function partsOf(kind, text) {
    var rows = [], from = 0, line = 1, begun = 1, quoted = false;
    for (var i = 0; i <= text.length; i++) {
      var c = text.charCodeAt(i);
      if (kind === "csv" && c === 34) { quoted = !quoted; }
      if (i < text.length && c !== 10) { continue; }
      if (i === text.length || !quoted) {
        var row = text.slice(from, i).replace(/\r$/, "");
        if (row.trim()) { rows.push({ text: row, line: begun }); }
        from = i + 1;
        begun = line + 1;
      }
      line++;
    }
    var head = kind === "csv" ? rows.shift().text.replace(/^\uFEFF/, "") + "\n" : "";
    var parts = [], part = null;
    rows.forEach(function (row) {
      // Lines that are left out would shift the numbers: a part ends before them.
      if (!part || part.rows >= PART_ROWS || part.body.length + row.text.length > PART_BYTES || row.line !== part.next) {
        part = { first: row.line, rows: 0, body: head };
        parts.push(part);
      }
      part.body += row.text + "\n";
      part.rows++;
      part.next = row.line + row.text.split("\n").length;
    });
    return { parts: parts, rows: rows.length };
  }

  function judgeFile(kind, text, signal) {
    var file = partsOf(kind, text);
    var counts = { Clean: 0, Observed: 0, Bad: 0 }, csv = [], shownRows = 0, done = 0;
    var summary = make("p"), bar = make("progress"), stop = make("button", "secondary outline", words.stop);
    var table = make("table", "rows results"), body = make("tbody"), note = make("p", "note", words.hidden);
    bar.max = file.rows;
    bar.value = 0;
    bar.setAttribute("aria-label", words.progress);
    stop.type = "button";
    stop.addEventListener("click", function () { if (asked) { asked.abort(); } finish(); });
    var head = make("tr");
    var names = [words.headLine, words.voucher, words.result, words.codes, words.said];
    names.forEach(function (name) {
      var cell = make("th", "", name);
      cell.scope = "col";
      head.append(cell);
    });
    var top = make("thead");
    top.append(head);
    table.append(top, body);
    var region = make("div", "wide");
    region.tabIndex = 0;
    region.setAttribute("role", "region");
    region.setAttribute("aria-label", words.table);
    region.append(table);
    note.hidden = true;
    verdict.setAttribute("aria-live", "off");
    show(summary, bar, stop, note, region);
    tell();

    function tell() {
      var figures = [done, counts.Clean, counts.Observed, counts.Bad];
      summary.textContent = words.summary.replace(/%d/g, function () { return figures.shift(); });
    }
    function finish() {
      verdict.setAttribute("aria-live", "polite");
      bar.remove();
      stop.remove();
      if (csv.length < 2) { return; }
      var link = make("a", "", words.download);
      link.href = URL.createObjectURL(new Blob(["\uFEFF"].concat(csv), { type: "text/csv;charset=utf-8" }));
      link.download = "hallazgos.csv";
      link.setAttribute("role", "button");
      summary.after(link);
    }
    function add(answer) {
      if (answer.Problem) { throw new Error(answer.Problem); }
      if (!csv.length) { csv.push(answer.Head); }
      (answer.Rows || []).forEach(function (row) {
        csv.push(row.CSV);
        done++;
        // Those without findings would hide the others in a long file, and too many make the page slow.
        if (file.rows > MAX_ALL && row.Class === "good" || shownRows >= MAX_SHOWN) { note.hidden = false; return; }
        shownRows++;
        var line = make("tr");
        line.append(make("td", "number", row.Line), make("td", "voucher", row.Voucher));
        var result = make("td");
        result.append(make("span", "outcome " + row.Class, row.Result));
        line.append(result, make("td", "", row.Codes), make("td", "long", row.Text));
        names.forEach(function (name, i) { line.cells[i].dataset.label = name; });
        body.append(line);
      });
      ["Clean", "Observed", "Bad"].forEach(function (name) { counts[name] += answer[name]; });
      bar.value = done;
      tell();
    }
    file.parts.reduce(function (before, part) {
      return before.then(function () {
        var query = choice();
        query.set("kind", kind);
        query.set("first", part.first);
        return post("/try/judge-lines", query, part.body, signal).then(add);
      });
    }, Promise.resolve()).then(finish, function (error) {
      if (csv.length && error.name !== "AbortError") { finish(); summary.after(make("p", "outcome bad", error.message)); return; }
      failed(error);
    });
  }

  var held = null; // the text of a file that is too long for the box
  // hold keeps a text that is too long for the box, and shows its beginning.
  function hold(text) {
    held = text;
    box.value = text.slice(0, 2000) + (text.length > 2000 ? "\n…" : "");
  }
  function read(chosen) {
    if (!chosen) { return; }
    chosen.text().then(function (text) {
      held = null;
      if (text.length > 200000 || kindOf(text)) { hold(text); } else { box.value = text; }
      judge(text);
    }, failed);
  }
  box.addEventListener("input", function () {
    held = null;
    file.value = "";
    clearTimeout(timer);
    timer = setTimeout(function () { judge(box.value); }, 350);
  });
  file.addEventListener("change", function () { read(file.files[0]); });
  ["operation", "date", "gateway"].forEach(function (name) {
    var field = form.elements[name];
    if (field) { field.addEventListener("change", function () { judge(whole()); }); }
  });
  ["dragover", "dragleave", "drop"].forEach(function (name) {
    box.addEventListener(name, function (event) {
      if (name !== "dragleave" && !(event.dataTransfer && event.dataTransfer.types.indexOf("Files") >= 0)) { return; }
      box.classList.toggle("over", name === "dragover");
      if (name !== "dragleave") { event.preventDefault(); }
      if (name === "drop") { file.value = ""; read(event.dataTransfer.files[0]); }
    });
  });
  form.addEventListener("submit", function (event) {
    event.preventDefault();
    if (event.submitter && event.submitter.name === "use") { use(event.submitter.value); return; }
    judge(whole());
  });
  form.querySelector("button[name=as]").hidden = true; // the table has its own
  if (box.value.trim()) { judge(box.value); }
})();
