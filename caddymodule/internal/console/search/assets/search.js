// The search works without this. It leaves empty filters out of the address, and follows live.
(function () {
  "use strict";
  var most = 500; // rows in the page, while it follows
  var form = document.getElementById("filters");
  if (form) {
    form.addEventListener("submit", function () {
      Array.prototype.forEach.call(form.elements, function (field) { field.disabled = field.name && !field.value; });
    });
    window.addEventListener("pageshow", function () { // back from the answer
      Array.prototype.forEach.call(form.elements, function (field) { field.disabled = false; });
    });
  }

  var button = document.getElementById("live");
  var state = document.getElementById("live-state");
  var table = document.getElementById("rows");
  if (!button || !table || !window.EventSource) { return; }
  var body = table.tBodies[0];
  var labels = Array.prototype.map.call(table.tHead.rows[0].cells, function (cell) { return cell.textContent; });
  var source = null;

  function element(name, text, className) {
    var made = document.createElement(name);
    if (text) { made.textContent = text; }
    if (className) { made.className = className; }
    return made;
  }
  function bdi(text) { return text ? element("bdi", text) : document.createTextNode(""); }

  function rowOf(row) {
    var when = element("time", row.when);
    when.dateTime = row.machine;
    var link = element("a");
    link.href = row.address;
    link.appendChild(bdi(row.voucher));
    var line = element("tr", "", "fresh");
    line.dataset.record = row.address;
    [
      [when], [link, "voucher"], [document.createTextNode(row.issuer), "number"], [document.createTextNode(row.receiver)],
      [document.createTextNode(row.total), "number amount"], [element("span", row.outcome, "outcome " + row.class)],
      [bdi(row.code), "number"], [bdi(row.codes)], [document.createTextNode(row.record)]
    ].forEach(function (cell, i) {
      var made = element("td", "", cell[1]);
      made.dataset.label = labels[i];
      if (cell[0].textContent) { made.appendChild(cell[0]); }
      line.appendChild(made);
    });
    return line;
  }

  function add(row) {
    if (Array.prototype.some.call(body.rows, function (line) { return line.dataset.record === row.address; })) { return; }
    body.insertBefore(rowOf(row), body.firstChild);
    while (body.rows.length > most) { body.removeChild(body.lastElementChild); }
    table.parentNode.hidden = false;
    var none = document.getElementById("none");
    if (none) { none.hidden = true; }
  }

  function stop(text) {
    if (source) { source.close(); }
    source = null;
    button.textContent = button.dataset.start;
    button.setAttribute("aria-pressed", "false");
    state.textContent = text;
  }

  function start() {
    source = new EventSource(button.dataset.address);
    button.textContent = button.dataset.stop;
    button.setAttribute("aria-pressed", "true");
    source.onopen = function () { state.textContent = button.dataset.on; };
    source.onmessage = function (event) { add(JSON.parse(event.data)); };
    source.addEventListener("gap", function () { state.textContent = button.dataset.gap; });
    source.onerror = function () {
      if (source.readyState === EventSource.CLOSED) { stop(button.dataset.refused); } else { state.textContent = button.dataset.lost; }
    };
  }

  button.addEventListener("click", function () { if (source) { stop(""); } else { start(); } });
  button.setAttribute("aria-pressed", "false");
  button.hidden = false;
})();
