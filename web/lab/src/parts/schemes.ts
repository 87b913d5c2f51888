// The choice of scheme: a row of radio buttons, or a list where the row would break.

import type { App, Part } from '../app.ts';
import type { SchemeName } from '../core.ts';
import { $, h, say } from '../dom.ts';
import { scheme } from '../model.ts';

/** So many schemes have room in a row of buttons, the product's own rule counted. */
const IN_A_ROW = 8;

export function schemes(app: App): Part {
  const row = $<HTMLFieldSetElement>('schemes');
  const pick = $<HTMLSelectElement>('scheme-pick');
  const choose = (name: string): void => app.change(scheme(app.state, name as SchemeName), { fly: true });
  for (const { name, title } of app.about.schemes) {
    const radio = h('input', { type: 'radio', name: 'scheme', value: name });
    radio.addEventListener('change', () => choose(name));
    row.append(h('label', { 'data-scheme': name }, radio, h('span', {}, title)));
    pick.append(h('option', { value: name }, title));
  }
  // A row of many breaks ragged; a list does not.
  row.parentElement!.classList.toggle('many', app.about.schemes.length > IN_A_ROW);
  pick.addEventListener('change', () => choose(pick.value));
  return {
    state(): void {
      const { scheme: now, product } = app.state.fleet;
      for (const label of row.querySelectorAll<HTMLElement>('label')) {
        const name = label.dataset.scheme!;
        label.querySelector('input')!.checked = name === now;
        // The rule of a pasted file; without one there is none to choose.
        label.hidden = name === 'product' && product === '';
      }
      for (const option of pick.options) option.hidden = option.disabled = option.value === 'product' && product === '';
      pick.value = now;
      const about = app.about.schemes.find((known) => known.name === now);
      say($('scheme-about'), now === 'product' ? `Placed by the rule of the file: ${product}.` : (about?.about ?? ''));
    },
  };
}
