// The pages work without this. It adds the keyboard: / searches, j and k go through the rows, Enter opens.
(function () {
  "use strict";
  var rows = Array.prototype.slice.call(document.querySelectorAll("table.rows tbody tr"));
  var at = -1;
  function choose(next) {
    if (next < 0 || next >= rows.length) { return; }
    if (at >= 0) { rows[at].classList.remove("chosen"); }
    at = next;
    rows[at].classList.add("chosen");
    rows[at].querySelector("a").focus();
  }
  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey) { return; }
    var box = document.querySelector("input[type=search]");
    if (event.target === box) {
      if (event.key === "Escape") { box.blur(); }
      return;
    }
    if (event.target.closest("input, textarea, select, [contenteditable]")) { return; } // a person writes
    switch (event.key) {
      case "/": event.preventDefault(); box.focus(); box.select(); break;
      case "j": choose(at + 1); break;
      case "k": choose(at - 1); break;
    }
  });
})();
