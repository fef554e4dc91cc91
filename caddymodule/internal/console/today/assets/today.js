// Draws the day's exchanges, and takes a newer page every five seconds while somebody looks. Without it the
// table says the same, and the page says when it was made. A page that got no answer for fifteen seconds claims
// nothing more.
(function () {
  "use strict";
  var every = 5000, whileReading = 2000, staleAfter = 15000, drawn = null, answered = Date.now(), asking = false, timer = 0;

  function colour(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }
  function draw() {
    var figure = document.getElementById("plot"), source = document.getElementById("plot-data");
    if (drawn) { drawn.destroy(); drawn = null; }
    if (!figure || !source || !window.uPlot) { return; }
    figure.hidden = false;
    var data = JSON.parse(source.textContent), hours = data.counts[0].map(function (_, i) { return i; });
    var stacked = data.counts.map(function () { return []; });
    hours.forEach(function (h) {
      var sum = 0;
      data.counts.forEach(function (counts, i) { sum += counts[h]; stacked[i][h] = sum; });
    });
    var colours = [colour("--good"), colour("--bad"), colour("--open"), colour("--pico-muted-color")];
    var line = colour("--pico-muted-border-color"), text = colour("--pico-color");
    var bars = uPlot.paths.bars({ size: [0.7, 60] });
    // The highest of a stack is drawn first, and the lower ones over it.
    var order = stacked.map(function (_, i) { return i; }).reverse();
    var axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { stroke: line } };
    drawn = new uPlot({
      width: figure.clientWidth, height: 240, cursor: { drag: { x: false, y: false } },
      scales: { x: { time: false, range: [-0.6, 23.6] }, y: { range: function (_, __, most) { return [0, Math.max(4, most * 1.1)]; } } },
      axes: [
        Object.assign({ values: function (_, at) { return at.map(function (h) { return h + " h"; }); } }, axis),
        Object.assign({ incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000] }, axis)
      ],
      series: [{ label: data.hour }].concat(order.map(function (i) {
        return {
          label: data.labels[i], stroke: colours[i], fill: colours[i], width: 0, paths: bars, points: { show: false },
          value: function (_, __, ___, at) { return at === null || at === undefined ? "–" : data.counts[i][at]; }
        };
      }))
    }, [hours].concat(order.map(function (i) { return stacked[i]; })), figure);
  }

  // judge shows whether the page is still fresh.
  function judge() {
    if (Date.now() - answered <= staleAfter) { return; }
    var state = document.getElementById("state"), verdict = state && state.querySelector(".verdict");
    if (!verdict || verdict.classList.contains("stale")) { return; }
    verdict.className = "verdict stale";
    verdict.textContent = state.dataset.stale;
  }

  // show takes the newer page. A reader with a keyboard stays where it is, and sees the newer verdict alone.
  function show(next) {
    var main = document.getElementById("content"), open = main.querySelector("details[open]");
    if (main.contains(document.activeElement) && document.activeElement !== main) {
      var state = document.getElementById("state"), newer = next.querySelector("#state");
      if (state && newer && !state.contains(document.activeElement)) { state.replaceWith(newer); }
      return;
    }
    if (open && next.querySelector("details")) { next.querySelector("details").open = true; }
    main.replaceWith(next);
    draw();
  }

  function wait() {
    clearTimeout(timer);
    timer = setTimeout(refresh, document.querySelector("#state[data-whole=false]") ? whileReading : every);
  }

  function refresh() {
    if (document.hidden || asking) { return; }
    asking = true;
    fetch(location.href, { credentials: "same-origin", signal: AbortSignal.timeout(staleAfter) }).then(function (answer) {
      if (!answer.ok) { throw new Error(answer.status); }
      return answer.text();
    }).then(function (html) {
      var next = new DOMParser().parseFromString(html, "text/html").getElementById("content");
      if (!next || !next.querySelector("#state")) { return; }
      answered = Date.now();
      show(next);
    }).catch(function () { /* the next turn tries again */ }).finally(function () {
      asking = false;
      wait();
    });
  }

  draw();
  window.addEventListener("resize", function () {
    var figure = document.getElementById("plot");
    if (drawn && figure) { drawn.setSize({ width: figure.clientWidth, height: 240 }); }
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  setInterval(judge, 1000);
  document.addEventListener("visibilitychange", function () { judge(); refresh(); });
  wait();
})();
