// Questions about a page's layout, answered inside the page.

/**
 * How far the page is wider than the window, and what sticks out; of a part that is laid out by itself (`contain`) the
 * page is none the wider, and it is cut off. What scrolls or is clipped by what it is in does not stick out.
 */
export const overflow = page => page.evaluate(() => {
  const width = document.documentElement.clientWidth;
  const over = document.documentElement.scrollWidth - width;
  const holds = node => node !== document.body && (getComputedStyle(node).overflowX !== 'visible' || holds(node.parentElement));
  const out = [...document.querySelectorAll('body *')].filter(node => node.getBoundingClientRect().right > width + 1 && !holds(node.parentElement));
  const named = out.slice(0, 5).map(node => `${node.tagName.toLowerCase()}.${node.getAttribute('class') ?? ''} "${node.textContent.slice(0, 30)}" sticks out`);
  return over > 0 ? [`the page is ${over} px wider than the window`, ...named] : named;
});

/** Cards of a page whose last part ends more than `most` pixels before they do. */
export const hollow = (page, most) => page.evaluate(most => {
  const found = [];
  for (const card of document.querySelectorAll('.card')) {
    const { bottom, height } = card.getBoundingClientRect();
    if (height === 0) continue;
    const parts = [...card.querySelectorAll('*')].filter(part => part.children.length === 0 && part.getClientRects().length > 0);
    const last = Math.max(...parts.map(part => part.getBoundingClientRect().bottom));
    if (bottom - last > most) found.push(`${card.id || card.className}: ${(bottom - last).toFixed(0)} px are empty`);
  }
  return found;
}, most);

/** Pairs of texts in one picture whose boxes overlap, and texts that leave their picture. */
export const overlaps = page => page.evaluate(() => {
  const found = [];
  const pictures = [...document.querySelectorAll('svg')].filter(svg => svg.getBoundingClientRect().width > 0);
  for (const svg of pictures) {
    const frame = svg.getBoundingClientRect();
    const name = svg.querySelector('title')?.textContent ?? '';
    const texts = [...svg.querySelectorAll('text')]
      .filter(text => text.textContent.trim() !== '')
      .map(text => ({ text: text.textContent, box: text.getBoundingClientRect() }));
    for (const { text, box } of texts) {
      const out = Math.max(frame.left - box.left, box.right - frame.right, frame.top - box.top, box.bottom - frame.bottom);
      if (out > 1) found.push(`${name}: "${text}" leaves the picture by ${out.toFixed(1)} px`);
    }
    for (let i = 0; i < texts.length; i += 1) {
      for (let j = i + 1; j < texts.length; j += 1) {
        const [a, b] = [texts[i].box, texts[j].box];
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        // Boxes of lines are taller than their letters: a touch is no overlap.
        if (wide > 1 && high > 4) found.push(`${name}: "${texts[i].text}" and "${texts[j].text}"`);
      }
    }
  }
  return { found, pictures: pictures.length };
});

/**
 * Texts of a picture that the disc of a key covers, other than its own, in part or whole: letters of discs that lie close,
 * and what stands in the middle. How many discs have their letter is told as well.
 */
export const covered = page => page.evaluate(() => {
  const found = [];
  const keys = [...document.querySelectorAll('.ring .key')].map(key => {
    const { left, top, width } = key.querySelector('.dot').getBoundingClientRect();
    return { key, x: left + width / 2, y: top + width / 2, radius: width / 2 };
  });
  const texts = [...document.querySelectorAll('.ring text')].filter(text => text.textContent.trim() !== '');
  for (const text of texts) {
    const { left, right, top, bottom } = text.getBoundingClientRect();
    // Of its line the letters take so much.
    const high = 0.36 * (bottom - top);
    const middle = (top + bottom) / 2;
    for (const { key, x, y, radius } of keys) {
      if (key.contains(text)) continue;
      const wide = Math.max(left - x, x - right, 0);
      const tall = Math.max(middle - high - y, y - middle - high, 0);
      if (Math.hypot(wide, tall) < radius) found.push(`"${text.textContent}" by ${key.getAttribute('aria-label')}`);
    }
  }
  return { found, letters: keys.filter(({ key }) => key.textContent.trim() !== '').length };
});

/** Letters of pictures that are drawn smaller than `least` pixels. */
export const smallLetters = (page, least) => page.evaluate(least => {
  const found = [];
  for (const svg of document.querySelectorAll('svg')) {
    const shown = svg.getBoundingClientRect().width;
    if (shown === 0) continue;
    const scale = shown / svg.viewBox.baseVal.width;
    for (const text of svg.querySelectorAll('text')) {
      const size = parseFloat(getComputedStyle(text).fontSize) * scale;
      if (size < least) found.push(`"${text.textContent}" is ${size.toFixed(1)} px`);
    }
  }
  return found.slice(0, 5);
}, least);

/**
 * Texts, in pictures and beside them, whose contrast with what is behind them is under what WCAG asks for: 4.5, or
 * 3 where letters are large. How many there are is told as well.
 */
export const paleTexts = page => page.evaluate(() => {
  const part = value => { const v = value / 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
  const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  const parse = colour => {
    const [r, g, b, opacity = 1] = colour.match(/[\d.]+/g).map(Number);
    return [r, g, b, opacity];
  };
  const over = ([r, g, b, opacity], ground) => [r, g, b].map((part, at) => opacity * part + (1 - opacity) * ground[at]);
  const grounds = new Map();
  const groundOf = node => {
    if (!node) return [255, 255, 255];
    if (!grounds.has(node)) grounds.set(node, over(parse(getComputedStyle(node).backgroundColor), groundOf(node.parentElement)));
    return grounds.get(node);
  };
  const pale = new Set();
  let looked = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (walker.currentNode.data.trim() === '' || node.closest('title, desc, script, style') || node.getClientRects().length === 0) continue;
    const style = getComputedStyle(node);
    const drawn = node.closest('svg');
    let ground = groundOf(drawn ? drawn.parentElement : node);
    // Numbers in shaded cells of a picture have the cell behind them.
    const cell = drawn && [...node.classList].find(name => /^hx\d/.test(name));
    const shade = cell && drawn.querySelector(`.${cell.replace('hx', 'h')}`);
    if (shade) ground = over(parse(getComputedStyle(shade).fill), ground);
    const ink = over(parse(drawn ? style.fill : style.color), ground);
    const size = parseFloat(style.fontSize);
    const least = !drawn && (size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700)) ? 3 : 4.5;
    const [a, b] = [light(ink), light(ground)];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    looked += 1;
    if (contrast < least) pale.add(`${node.tagName.toLowerCase()}.${node.getAttribute('class') ?? ''}: ${contrast.toFixed(2)}`);
  }
  return { pale: [...pale], looked };
});

/**
 * Leaves of tables' rows and cells and of pictures' parts that are made alike (tag, attributes, and what is inside, but
 * for texts and places) the first two of each kind in a table, a row or a group. What axe says of one it says of each, and
 * over ten thousand of them it takes ten times as long. Contrast and references are looked at before, one by one.
 *
 * With `figures`, of these as well those that have nothing by tag and class that one before them has not: what they are
 * made of looks the same, and how it is put together is the same for all who read the page at this width.
 */
export const thin = (page, figures) => page.evaluate(figures => {
  const PLACES = new Set(['d', 'x', 'y', 'x1', 'x2', 'y1', 'y2', 'cx', 'cy', 'r', 'width', 'height', 'transform', 'points', 'id', 'href', 'headers']);
  const made = node => {
    const attributes = [...node.attributes].map(({ name, value }) => (PLACES.has(name) ? `${name}${value === ''}` : `${name}=${value}`));
    const text = [...node.childNodes].some(child => child.nodeType === Node.TEXT_NODE && child.data.trim() !== '');
    return `${node.tagName} ${attributes.sort().join(' ')} ${text}(${[...node.children].map(made).join()})`;
  };
  const leave = (parent, most) => {
    const seen = new Map();
    for (const child of [...parent.children]) {
      const kind = made(child);
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
      if (seen.get(kind) > most) child.remove();
    }
  };
  document.querySelectorAll('tbody, tr, svg, svg g').forEach(parent => leave(parent, 2));
  if (!figures) return;
  const known = new Set();
  document.querySelectorAll('figure').forEach(figure => {
    const parts = [...figure.querySelectorAll('*')].map(part => `${part.tagName}.${part.getAttribute('class')}`);
    if (parts.every(part => known.has(part))) figure.remove();
    parts.forEach(part => known.add(part));
  });
}, figures);
