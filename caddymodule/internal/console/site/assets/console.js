// The pages work without this. It adds the keyboard: / searches, j and k go through the rows, Enter opens,
// ? shows the keys.
(function () {
  "use strict";
  var box = document.querySelector("input[type=search]");
  var keys = document.getElementById("keys");
  var button = document.getElementById("show-keys");

  // links are the first links of the rows, also of those that have come since.
  function links() {
    return Array.prototype.map.call(document.querySelectorAll("table.rows tbody tr"), function (row) {
      return row.querySelector("a");
    }).filter(Boolean);
  }
  // go goes on by so many rows from the one that has the focus.
  function go(by) {
    var row = document.activeElement.closest("table.rows tbody tr");
    var all = links(), at = row ? all.indexOf(row.querySelector("a")) : -1;
    var next = all[Math.max(at + by, 0)];
    if (next) { next.focus(); }
  }
  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) { return; }
    if (event.target.closest("input, textarea, select, [contenteditable]")) { // a person writes
      if (event.target === box && event.key === "Escape") { box.blur(); }
      return;
    }
    switch (event.key) {
      case "/": event.preventDefault(); box.focus(); box.select(); break;
      case "j": go(1); break;
      case "k": go(-1); break;
      case "?": keys.showModal(); break;
    }
  });
  button.hidden = false;
  button.addEventListener("click", function () { keys.showModal(); });
})();
