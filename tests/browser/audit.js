// audit.js - looks at a page as it is laid out, from inside: an expression whose value is a list of
// what is wrong with it. What is too wide, cut or written over, too pale to read, or without a name.
(() => {
const found = [];
const where = element => {
  const block = element.closest('[id]');
  return `${element.tagName.toLowerCase()}${element.className && element.className.baseVal === undefined ? '.' + element.className : ''}` +
    `${block ? ' in #' + block.id : ''}: "${element.textContent.trim().slice(0, 40)}"`;
};
const visible = element => element.checkVisibility && element.checkVisibility() && element.getClientRects().length > 0;

// ---- contrast, as WCAG 2 counts it ----

const parsed = colour => {
  const [r, g, b, a = 1] = (colour.match(/[\d.]+/g) || []).map(Number);
  return {r, g, b, a};
};
const over = (top, below) => ({r: top.r * top.a + below.r * (1 - top.a), g: top.g * top.a + below.g * (1 - top.a),
  b: top.b * top.a + below.b * (1 - top.a), a: 1});
const luminance = ({r, g, b}) => {
  const [x, y, z] = [r, g, b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
};
const ratio = (one, two) => {
  const [high, low] = [luminance(one), luminance(two)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
};
const backgrounds = new Map();
function behind(element) { // the colour that an element stands on
  if (!element) return {r: 255, g: 255, b: 255, a: 1};
  if (backgrounds.has(element)) return backgrounds.get(element);
  const own = parsed(getComputedStyle(element).backgroundColor);
  const colour = own.a === 1 ? own : over(own, behind(element.parentElement));
  backgrounds.set(element, colour);
  return colour;
}
const opacityOf = element => element ? Number(getComputedStyle(element).opacity) * opacityOf(element.parentElement) : 1;
function checkContrast(element, colour, ground, least = 4.5) {
  const mixed = over({...colour, a: colour.a * opacityOf(element)}, ground), seen = ratio(mixed, ground);
  if (seen < least) found.push(`contrast ${seen.toFixed(2)} of ${where(element)}`);
}

const texts = [];
for (const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); walker.nextNode();) {
  const element = walker.currentNode.parentElement;
  if (walker.currentNode.data.trim() && !/^(SCRIPT|STYLE|TITLE|NOSCRIPT|OPTION)$/i.test(element.tagName) && visible(element)) texts.push(element);
}
for (const element of new Set(texts)) {
  if (element.closest('svg') || element.closest('button:disabled') || element.closest('[aria-pressed="false"]')) continue;
  checkContrast(element, parsed(getComputedStyle(element).color), behind(element));
}

// ---- what is cut ----

const room = document.documentElement.clientWidth;
if (document.documentElement.scrollWidth > room + 1) found.push(`the page is ${document.documentElement.scrollWidth} px wide in a window of ${room}`);
for (const element of new Set(texts)) {
  const style = getComputedStyle(element);
  if (style.overflowX === 'hidden' && element.scrollWidth > element.clientWidth + 1) found.push('cut: ' + where(element));
  if (element.closest('svg, .wide, nav, pre, .skip')) continue; // a link that shows itself to keys alone
  const box = element.getBoundingClientRect();
  if (box.right > room + 1 || box.left < -1) found.push(`beyond the window: ${where(element)}`);
}

// ---- inside drawings ----

const overlap = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1.5 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3.5;
for (const svg of document.querySelectorAll('.plot svg')) {
  if (!visible(svg)) continue;
  const frame = svg.getBoundingClientRect(), words = [], names = new Map();
  for (const named of svg.querySelectorAll('g > title')) {
    const seen = named.parentElement.querySelector('text').textContent, other = names.get(seen);
    if (other && other !== named.textContent) found.push(`"${other}" and "${named.textContent}" look the same in #${svg.closest('[id]').id}`);
    names.set(seen, named.textContent);
  }
  for (const text of svg.querySelectorAll('text')) {
    const box = text.getBoundingClientRect();
    if (!text.textContent || !box.width) continue;
    if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
      found.push(`beyond the drawing: ${where(text)}`);
    if (text.getAttribute('transform')) continue; // tilted: their boxes are larger than they are
    const met = words.find(w => overlap(w.box, box));
    if (met) found.push(`"${met.text.textContent}" and "${text.textContent}" lie over each other in #${svg.closest('[id]').id}`);
    words.push({text, box});
    let ground = behind(svg.parentElement);
    if (text.classList.contains('inside')) {
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      const mark = [...svg.querySelectorAll('.drawn path')].filter(p => {
        const b = p.getBoundingClientRect(), style = getComputedStyle(p);
        return b.left <= x && x <= b.right && b.top <= y && y <= b.bottom && style.fill !== 'none' && Number(style.fillOpacity) > 0.5;
      }).pop();
      if (mark) ground = parsed(getComputedStyle(mark).fill);
    }
    checkContrast(text, parsed(getComputedStyle(text).fill), ground);
  }
}

// ---- names, and the order of the keys ----

for (const element of document.querySelectorAll('button, input, select, textarea, a[href], summary, [tabindex]')) {
  if (!visible(element)) continue;
  const name = element.getAttribute('aria-label') || element.textContent.trim() || (element.labels && [...element.labels].map(l => l.textContent).join(' ').trim());
  if (!name) found.push('no name: ' + where(element) + element.outerHTML.slice(0, 80));
  if (element.tabIndex > 0) found.push('an order of its own: ' + where(element));
}
const ids = new Set();
for (const {id} of document.querySelectorAll('[id]')) {
  if (ids.has(id)) found.push(`two elements are #${id}`);
  ids.add(id);
}
for (const link of document.querySelectorAll('a[href^="#"]'))
  if (!ids.has(link.getAttribute('href').slice(1))) found.push('leads nowhere: ' + where(link));
for (const table of document.querySelectorAll('table'))
  for (const head of table.querySelectorAll('thead th')) if (!head.textContent.trim() && head.cellIndex > 0) found.push('a column without a name: ' + where(table));
return [...new Set(found)];
})()
