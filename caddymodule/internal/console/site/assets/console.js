// The pages work without this. It adds the keyboard: / searches, j and k go through the rows, Enter opens,
// ? shows the keys; and buttons that copy a CAE, a number or an address.
(function () {
  "use strict";
  var words = document.currentScript.dataset;
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

  // A table whose rows are laid out as cards is no table any more for some screen readers, unless its roles are written out.
  var roles = {TABLE: "table", THEAD: "rowgroup", TBODY: "rowgroup", TFOOT: "rowgroup", TR: "row", TD: "cell"};
  function setRoles(within) {
    [within].concat(Array.from(within.querySelectorAll("*"))).forEach(function (e) {
      var role = e.tagName === "TH" ? (e.scope === "row" ? "rowheader" : "columnheader") : roles[e.tagName];
      if (role && e.closest("table.rows")) { e.setAttribute("role", role); }
    });
  }
  setRoles(document.body);
  new MutationObserver(function (changes) {
    changes.forEach(function (change) {
      change.addedNodes.forEach(function (node) { if (node.nodeType === Node.ELEMENT_NODE) { setRoles(node); } });
    });
  }).observe(document.body, {childList: true, subtree: true});

  // copies adds a button behind an element that names what it copies.
  function copies(element) {
    var copy = document.createElement("button");
    copy.type = "button";
    copy.className = "copy";
    function say(word) {
      copy.textContent = word;
      copy.setAttribute("aria-label", word + " " + element.dataset.copy);
    }
    say(words.copy);
    copy.addEventListener("click", function () {
      navigator.clipboard.writeText(element.textContent.trim().replace(/^CAEA? /, "")).then(function () {
        say(words.copied);
        window.setTimeout(function () { say(words.copy); }, 2000);
      }, function () { copy.remove(); }); // the browser does not allow it
    });
    element.after(copy);
  }
  if (navigator.clipboard) { // not over plain HTTP from another machine
    document.querySelectorAll("[data-copy]").forEach(copies);
  }
})();
