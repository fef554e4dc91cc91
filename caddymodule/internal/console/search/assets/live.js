// Follows the searches of all tabs over one connection: a browser has six to a server over plain HTTP, and the seventh
// tab would wait for ever. It is a shared worker. Where a browser has none, a page runs it for itself alone.
(function () {
  "use strict";
  var most = 16; // searches of a connection, as the server has it
  var silence = 25000; // a tab says every 8 seconds that it is there; one that went may not have said so
  var again = 3000;
  var tabs = new Map(); // what each tab follows, by its port
  var source = null, timer = 0;

  function add(port) {
    port.onmessage = function (event) {
      var asked = event.data;
      if (asked.here && tabs.has(port)) { tabs.get(port).seen = Date.now(); }
      if (asked.here && !tabs.has(port)) { port.postMessage({ forgotten: true }); } // the machine has slept
      if (asked.leave && tabs.delete(port)) { connect(50); }
      if (asked.query !== undefined) {
        tabs.set(port, { address: asked.address, query: asked.query, from: asked.from, seen: Date.now() });
        connect(50); // others may come at the same time
      }
    };
    port.start();
  }

  function connect(after) {
    clearTimeout(timer);
    timer = setTimeout(open, after);
  }

  // searchesOf puts tabs together that wait for the same. A tab beyond the bound is refused.
  function searchesOf() {
    var all = new Map();
    tabs.forEach(function (tab, port) {
      var key = tab.address + "\n" + tab.query + "\n" + tab.from;
      if (all.has(key)) { all.get(key).push(port); return; }
      if (all.size < most) { all.set(key, [port]); return; }
      tabs.delete(port);
      port.postMessage({ state: "refused" });
    });
    return Array.from(all.values());
  }

  function open() {
    if (source) { source.close(); source = null; }
    var searches = searchesOf(), current = [];
    if (!searches.length) { return; }
    var of = searches.map(function (ports) {
      var tab = tabs.get(ports[0]);
      return "of=" + encodeURIComponent(tab.query + "&from=" + encodeURIComponent(tab.from));
    });
    var mine = source = new EventSource(tabs.get(searches[0][0]).address + "?" + of.join("&"));
    function tell(ports, what) {
      ports.forEach(function (port) { if (tabs.has(port)) { port.postMessage(what); } });
    }
    function tellAll(what) { tell(Array.from(tabs.keys()), what); }
    mine.onopen = function () { tellAll({ state: "open" }); };
    mine.addEventListener("of", function (event) { current = searches[event.data] || []; });
    mine.addEventListener("at", function (event) {
      current.forEach(function (port) { if (tabs.has(port)) { tabs.get(port).from = event.data; } });
      tell(current, { from: event.data });
    });
    mine.addEventListener("gap", function () { tell(current, { state: "gap" }); });
    mine.onmessage = function (event) { tell(current, { row: JSON.parse(event.data) }); };
    mine.onerror = function () {
      var refused = mine.readyState === EventSource.CLOSED;
      mine.close(); // it would go on from where one of the searches was
      if (mine !== source) { return; }
      source = null;
      tellAll({ state: refused ? "refused" : "lost" });
      if (refused) { tabs.clear(); } else { connect(again); }
    };
  }

  setInterval(function () {
    var before = tabs.size;
    tabs.forEach(function (tab, port) { if (Date.now() - tab.seen > silence) { tabs.delete(port); } });
    if (tabs.size < before) { connect(0); }
  }, silence / 5);

  if (self.SharedWorkerGlobalScope && self instanceof SharedWorkerGlobalScope) {
    self.onconnect = function (event) { add(event.ports[0]); };
  } else {
    window.fielatoFollow = add;
  }
})();
