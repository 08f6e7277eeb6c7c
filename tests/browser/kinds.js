// kinds.js - pages of all kinds in one Chromium, at the width of a desk and of a phone: what kinds.sh says.
'use strict';
const path = require('path');
const {openChromium, openPage} = require('./chromium.js');

// From inside: what is wrong with the page.
const look = `(() => {
  const found = [], check = (right, what) => { if (!right) found.push(what); };
  const verdicts = document.querySelectorAll('.verdict');
  check(verdicts.length === 1, verdicts.length + ' verdicts');
  check([...verdicts].every(v => v.querySelector('.says').textContent.trim().length > 8), 'a verdict says nothing');
  const marks = [...document.querySelectorAll('figure .plot')].filter(plot => plot.querySelector('.drawn path'));
  check(marks.length > 0, 'no chart');
  check(marks.length && marks[0].getBoundingClientRect().top + scrollY < 1500, 'the first chart is far below');
  for (const plot of marks) {
    check([...plot.querySelectorAll('.drawn path')].every(p => p.getBBox().y >= -1), 'a mark lies above its chart');
    const figure = plot.closest('figure'), select = figure.querySelector('select'), bars = /"kind":"bars"/.test(figure.textContent);
    check(!select || !bars || plot.textContent.includes(select.selectedOptions[0].text), 'the figure that is drawn is not the chosen one');
  }
  for (const box of document.querySelectorAll('.wide')) {
    check(box.scrollHeight <= box.clientHeight + 2, 'rows in a box of their own: ' + box.textContent.slice(0, 40));
    for (const row of box.querySelectorAll('tbody tr')) if (!row.getClientRects().length) { check(false, 'a row is hidden'); break; }
  }
  for (const card of document.querySelectorAll('figure, .data, .verdict')) {
    const copies = [...card.querySelectorAll(':scope > .tools button')].filter(b => b.textContent === 'Copy command').length;
    check(copies === (card.querySelector(':scope > .from') ? 1 : 0), copies + ' buttons that copy a command');
  }
  check(verdicts.length && verdicts[0].querySelector('.from'), 'the verdict names no command');
  const nav = document.querySelector('nav');
  if (nav) { // a short page does not scroll as far
    const top = nav.getBoundingClientRect().top;
    scrollTo(0, document.documentElement.scrollHeight);
    check(Math.abs(nav.getBoundingClientRect().top - Math.max(0, top - scrollY)) < 1, 'the navigation leaves');
    scrollTo(0, 0);
  }
  check(document.documentElement.scrollWidth <= innerWidth + 1, 'wider than the window');
  check(!document.querySelector('img') && document.title !== '1', 'a name became markup');
  return found;
})()`;

(async () => {
  const browser = await openChromium();
  if (!browser) { console.log('there is no chromium'); process.exit(77); }
  let failed = 0;
  try {
    for (const [width, dark] of [[1440, false], [390, true]])
      for (const name of process.argv.slice(2)) {
        const page = await openPage(browser, {width, dark});
        await page.go('file://' + path.resolve(name + '.html'));
        await page.until('document.documentElement.dataset.drawn', 'the charts of ' + name, 60000);
        const found = [...await page.evaluate(look), ...page.said];
        for (const what of found) console.log(`${name}, ${width} px: ${what}`);
        failed += found.length;
        await page.close();
      }
  } finally {
    browser.close();
  }
  console.log(failed ? failed + ' failed' : 'done');
  process.exitCode = failed ? 1 : 0;
})();
