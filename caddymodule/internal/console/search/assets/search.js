// The search works without this. It leaves empty filters out of the address, keeps searches in the browser, and follows
// live.
(function () {
  "use strict";
  var most = 500; // rows in the page, while it follows
  var live = document.currentScript.dataset.live;
  var form = document.getElementById("filters");
  if (form) {
    form.addEventListener("submit", function () {
      Array.prototype.forEach.call(form.elements, function (field) { field.disabled = field.name && !field.value; });
    });
    window.addEventListener("pageshow", function () { // back from the answer
      Array.prototype.forEach.call(form.elements, function (field) { field.disabled = false; });
    });
  }

  // On a telephone the filters stay folded: the chips below say which there are.
  var filled = document.querySelector("details.filters[data-filled]");
  if (filled && matchMedia("(min-width: 45rem)").matches) { filled.open = true; }

  keep(document.getElementById("saved"));

  // keep shows the searches that this browser keeps, and a button that keeps the present one. Another page on the same
  // name could have written them, so only addresses of the search are shown.
  function keep(place) {
    var key = "fielato.searches", most = 20, here = location.pathname + location.search;
    function read() {
      try {
        var all = JSON.parse(localStorage.getItem(key));
        return all.filter(function (one) {
          return one && typeof one.name === "string" && typeof one.address === "string" && one.address.indexOf(place.dataset.base + "?") === 0;
        }).slice(0, most);
      } catch (e) { return []; }
    }
    function write(all) {
      try { localStorage.setItem(key, JSON.stringify(all.slice(0, most))); } catch (e) { return; } // the browser keeps nothing
      show();
    }
    function act(text, label, does) {
      var made = element("button", text);
      made.type = "button";
      made.className = "secondary";
      if (label) { made.setAttribute("aria-label", label); }
      made.addEventListener("click", does);
      return made;
    }
    function show() {
      var all = read(), list = element("ul", "", "chips");
      list.setAttribute("aria-label", place.dataset.title);
      all.forEach(function (one) {
        var item = element("li"), link = element("a", one.name);
        link.href = one.address;
        item.appendChild(link);
        item.appendChild(act("×", place.dataset.forget + " " + one.name, function () {
          write(read().filter(function (other) { return other.address !== one.address; }));
        }));
        list.appendChild(item);
      });
      place.textContent = "";
      if (all.length) { place.appendChild(list); }
      var kept = all.some(function (one) { return one.address === here; });
      if (place.dataset.name && location.search && !kept) {
        place.appendChild(act(place.dataset.keep, "", function () { write([{name: place.dataset.name, address: here}].concat(read())); }));
      }
      place.hidden = !place.firstChild;
    }
    show();
  }

  var button = document.getElementById("live");
  var state = document.getElementById("live-state");
  var table = document.getElementById("rows");
  if (!button || !table || !window.EventSource) { return; }
  var body = table.tBodies[0];
  var labels = Array.prototype.map.call(table.tHead.rows[0].cells, function (cell) { return cell.textContent; });
  var listsInvoices = table.dataset.list === "invoices";

  function element(name, text, className) {
    var made = document.createElement(name);
    if (text) { made.textContent = text; }
    if (className) { made.className = className; }
    return made;
  }
  function bdi(text) { return text ? element("bdi", text) : document.createTextNode(""); }
  // pieces adds a text to an element. A number in it is not parted between two lines, as on the page (site.Pieces).
  function pieces(into, text) {
    text.split(/(\d{2}-\d{8}-\d|\d{4,5}-\d{8})/).forEach(function (piece, i) {
      if (piece) { into.appendChild(i % 2 ? element("span", piece, "number") : document.createTextNode(piece)); }
    });
    return into;
  }

  function rowOf(row) {
    var when = element("time", row.when);
    when.dateTime = row.machine;
    var link = element("a");
    link.href = row.address + (table.dataset.back || "");
    link.appendChild(pieces(element("bdi"), row.voucher));
    var line = element("tr", "", "fresh");
    line.dataset.record = row.address;
    line.id = row.anchor;
    var exchanges = element("a", row.attempts);
    exchanges.href = row.exchanges || "";
    (listsInvoices ? [
      [when], [link, "voucher"], [document.createTextNode(row.issuer), "number"], [document.createTextNode(row.date), "number"],
      [pieces(document.createDocumentFragment(), row.receiver), "receiver"], [document.createTextNode(row.total), "number amount"], [element("span", row.state, "outcome " + row.class)],
      [bdi(row.code), "number"], [exchanges, "number"]
    ] : [
      [when], [link, "voucher"], [document.createTextNode(row.issuer), "number"], [pieces(document.createDocumentFragment(), row.receiver), "receiver"],
      [document.createTextNode(row.total), "number amount"], [element("span", row.outcome, "outcome " + row.class)],
      [bdi(row.code), "number"], [bdi(row.codes)], [document.createTextNode(row.record)]
    ]).forEach(function (cell, i) {
      var made = element("td", "", cell[1]);
      made.dataset.label = labels[i];
      if (cell[0].textContent) { made.appendChild(cell[0]); }
      line.appendChild(made);
    });
    return line;
  }

  function add(row) {
    var known = Array.prototype.filter.call(body.rows, function (line) { return line.dataset.record === row.address; })[0];
    if (known && !listsInvoices) { return; }
    if (known) { body.removeChild(known); } // it is another now
    body.insertBefore(rowOf(row), body.firstChild);
    while (body.rows.length > most) { body.removeChild(body.lastElementChild); }
    table.parentNode.hidden = false;
    var none = document.getElementById("none");
    if (none) { none.hidden = true; }
  }

  // The connection is shared with other tabs (live.js), and released while nobody sees this one. A tab that is seen again
  // gets what came meanwhile.
  var at = new URL(button.dataset.address, location.href), from = at.searchParams.get("from");
  at.searchParams.delete("from");
  var port = null, following = false;

  // hub returns the way to what has the connection: a worker that all tabs of this reader share, or live.js in this page.
  function hub(then) {
    if (port) { then(); return; }
    function use(made) {
      port = made;
      port.onmessage = hear;
      then();
    }
    function alone() {
      var script = document.createElement("script");
      script.src = live;
      script.onload = function () {
        var channel = new MessageChannel();
        window.fielatoFollow(channel.port1);
        use(channel.port2);
      };
      script.onerror = function () { stop(button.dataset.refused); };
      document.head.appendChild(script);
    }
    if (!window.SharedWorker) { alone(); return; }
    var reader = document.querySelector(".reader bdi");
    var worker = new SharedWorker(live, "fielato " + (reader ? reader.textContent : ""));
    worker.onerror = function () { if (following) { alone(); } };
    use(worker.port);
  }

  function hear(event) {
    var told = event.data;
    if (told.from) { from = told.from; }
    if (!following) { return; }
    if (told.forgotten) { join(); }
    if (told.row) { add(told.row); }
    if (told.state === "refused") { stop(button.dataset.refused); } else if (told.state) { state.textContent = button.dataset[told.state]; }
  }
  function join() {
    hub(function () { port.postMessage({ address: at.origin + at.pathname, query: at.search.slice(1), from: from }); });
  }
  function leave() { if (port) { port.postMessage({ leave: true }); } }

  function stop(text) {
    following = false;
    leave();
    button.textContent = button.dataset.start;
    state.textContent = text;
  }
  function start() {
    following = true;
    button.textContent = button.dataset.stop;
    join();
  }

  document.addEventListener("visibilitychange", function () {
    if (following) { if (document.hidden) { leave(); } else { join(); } }
  });
  window.addEventListener("pagehide", leave);
  window.addEventListener("pageshow", function (event) { if (event.persisted && following) { join(); } });
  setInterval(function () { if (following && port && !document.hidden) { port.postMessage({ here: true }); } }, 8000);

  button.addEventListener("click", function () { if (following) { stop(""); } else { start(); } });
  button.hidden = false;
})();
