// The buttons at the top: undo, reset, link, command, pictures.

import type { App, Part } from '../app.ts';
import type { State } from '../core.ts';
import { $, h, say } from '../dom.ts';
import { isHeld } from '../model.ts';
import { asPng, asSvg, download } from '../picture.ts';

export function actions(app: App, initial: State): Part {
  const note = $('note');
  let timer = 0;
  const tell = (text: string): void => {
    say(note, text);
    window.clearTimeout(timer);
    timer = window.setTimeout(() => say(note, ''), 6_000);
  };

  /** Whether the text could be copied: there is no clipboard for a page that is not served safely. */
  async function copied(text: string): Promise<boolean> {
    try {
      await app.engine.until(navigator.clipboard.writeText(text), 'else');
      return true;
    } catch {
      return false;
    }
  }

  function show(title: string, text: string): void {
    const area = h('textarea', { readonly: true, 'aria-label': title });
    area.value = text;
    const close = h('button', { type: 'button' }, 'Close');
    const dialog = h('dialog', { 'aria-label': title }, h('h2', {}, title), area, h('div', { class: 'row' }, close));
    close.addEventListener('click', () => dialog.close());
    dialog.addEventListener('close', () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    area.select();
    area.scrollTop = 0;
  }

  const undo = $<HTMLButtonElement>('undo');
  undo.addEventListener('click', () => app.undo());
  const redo = $<HTMLButtonElement>('redo');
  redo.addEventListener('click', () => app.redo());
  $('reset').addEventListener('click', () => app.change(initial));
  $('copy-link').addEventListener('click', () => {
    if (isHeld(app.state.keys)) {
      tell('The keys of your file are too many for a link.');
      return;
    }
    app.answer('encode', app.engine.encode(app.state, 'link'), async (text) => {
      const link = `${location.href.split('#')[0]}#${text}`;
      if (await copied(link)) tell('Link copied.');
      else show('Link', link);
    });
  });
  $('copy-command').addEventListener('click', () => {
    app.answer('command', app.engine.command(app.state), async (text) => {
      show('The same answer from the command', text);
      if (await copied(text)) tell('Command copied.');
    });
  });
  $('export-svg').addEventListener('click', () => {
    if (!app.view) return;
    download('clockwise-ring.svg', new Blob([asSvg(app)], { type: 'image/svg+xml' }));
    tell('The ring is saved as SVG.');
  });
  $('export-png').addEventListener('click', () => {
    if (!app.view) return;
    app.engine.until(asPng(app)).then(
      (png) => {
        download('clockwise-ring.png', png);
        tell('The ring is saved as PNG.');
      },
      (error: unknown) => tell(String(error)),
    );
  });
  document.addEventListener('keydown', (event) => {
    // Where text is typed, its own undo counts; a slider or a choice has none.
    const typing = event.target instanceof Element && event.target.matches('textarea, input:not([type="range"], [type="radio"], [type="checkbox"], [type="file"])');
    if (typing || !(event.ctrlKey || event.metaKey)) return;
    const key = event.key.toLowerCase();
    const back = key === 'z' && !event.shiftKey;
    if (!back && key !== 'y' && key !== 'z') return;
    event.preventDefault();
    if (back) app.undo();
    else app.redo();
  });

  return {
    state(): void {
      undo.disabled = !app.canUndo;
      redo.disabled = !app.canRedo;
    },
  };
}
