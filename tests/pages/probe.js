// Goes into a copy of a page, and tells the harness that holds it what a reader would find wrong.
(function () {
  function rectOf(e) { return e.getBoundingClientRect(); }
  function visible(e) { var r = rectOf(e); return r.width > 0 && r.height > 0; }
  function clash(a, b) { return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom; }

  // Marks that have a size; lines of the grid are none.
  function marks(figure) {
    var list = figure.querySelectorAll('.area path,.area rect,.area circle,.area line:not(.grid):not(.rule)');
    return Array.from(list).filter(function (e) { var r = rectOf(e); return r.width + r.height > 0; }).length;
  }

  // Labels that run into each other, or out of the window.
  function labels(figure) {
    var texts = Array.from(figure.querySelectorAll('.area text')).filter(visible), found = [];
    texts.forEach(function (t, i) {
      var r = rectOf(t);
      if (r.left < -1 || r.right > innerWidth + 1) { found.push('out: ' + t.textContent); }
      texts.slice(i + 1).forEach(function (u) {
        if (clash(r, rectOf(u))) { found.push(t.textContent + ' / ' + u.textContent); }
      });
    });
    return found;
  }

  // The table with the most rows, by its second column: both ways, and nothing gets lost.
  function sorting() {
    var tables = Array.from(document.querySelectorAll('table'));
    tables.sort(function (a, b) { return b.rows.length - a.rows.length; });
    var table = tables[0], head = table && table.tHead.rows[0].cells[1], rows = table ? table.tBodies[0].rows : [];
    if (!head || rows.length < 3) { return 'no table'; }
    function column() {
      return Array.from(rows).map(function (r) {
        return r.cells[1].dataset.v === undefined ? r.cells[1].textContent : r.cells[1].dataset.v;
      });
    }
    head.click();
    var down = column();
    head.click();
    var up = column();
    return head.getAttribute('aria-sort') && down.slice().sort().join() === up.slice().sort().join() &&
      (down.join() !== up.join() || new Set(down).size === 1) ? 'sorts' : 'does not sort';
  }

  addEventListener('load', function () {
    var figures = {};
    document.querySelectorAll('figure').forEach(function (f) { figures[f.id] = { marks: marks(f), labels: labels(f) }; });
    parent.postMessage({
      page: document.body.dataset.page, asked: innerWidth, wide: document.documentElement.scrollWidth,
      back: getComputedStyle(document.body).backgroundColor, loaded: performance.getEntriesByType('resource').length,
      sorting: sorting(), figures: figures
    }, '*');
  });
})();
