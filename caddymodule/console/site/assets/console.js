// The pages work without this. It adds the keyboard: / searches, j and k go through the rows, Enter opens.
(function () {
  "use strict";
  var chosen = null;
  function choose(step) { // rows may come and go meanwhile
    var rows = Array.prototype.slice.call(document.querySelectorAll("table.rows tbody tr"));
    var next = rows[rows.indexOf(chosen) + step];
    if (!next) { return; }
    if (chosen) { chosen.classList.remove("chosen"); }
    chosen = next;
    chosen.classList.add("chosen");
    chosen.querySelector("a").focus();
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
      case "j": choose(1); break;
      case "k": choose(-1); break;
    }
  });
})();
