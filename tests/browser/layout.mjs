// Questions about a page's layout, answered inside the page.

/** How far the page is wider than the window, and what sticks out. */
export const overflow = page => page.evaluate(() => {
  const width = document.documentElement.clientWidth;
  const over = document.documentElement.scrollWidth - width;
  if (over <= 0) return [];
  const out = [...document.querySelectorAll('body *')].filter(node => node.getBoundingClientRect().right > width + 1);
  const named = out.slice(0, 5).map(node => `${node.tagName.toLowerCase()}.${node.getAttribute('class') ?? ''}`);
  return [`the page is ${over} px wider than the window`, ...named];
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

/** Texts of pictures whose contrast with the page is under 4.5, where they stand on the page itself. */
export const paleLetters = page => page.evaluate(() => {
  const part = value => { const v = value / 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
  const light = colour => {
    const [r, g, b] = colour.match(/[\d.]+/g).map(Number);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const behind = light(getComputedStyle(document.body).backgroundColor);
  const found = new Set();
  for (const text of document.querySelectorAll('svg text')) {
    // Numbers in shaded cells have the cell behind them.
    const cell = [...text.classList].find(name => /^hx\d/.test(name));
    const shade = cell && text.closest('svg').querySelector(`.${cell.replace('hx', 'h')}`);
    const ground = shade ? light(getComputedStyle(shade).fill) : behind;
    const ink = light(getComputedStyle(text).fill);
    const contrast = (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
    if (contrast < 4.5) found.add(`${text.getAttribute('class')}: ${contrast.toFixed(2)}`);
  }
  return [...found];
});
