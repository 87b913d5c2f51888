// The page's address follows the state, and the state follows the address. A change makes no entry in the browser's
// history, since Undo takes it back; a link that is followed does, and Back returns to what was before it.

import type { App, Part } from '../app.ts';
import type { State } from '../core.ts';
import { Superseded } from '../engine.ts';
import { isHeld } from '../model.ts';

export interface Address extends Part {
  /** The state that the address has; none if it has none, or one that is refused, which is told. */
  read(): Promise<State | null>;
}

export function address(app: App, initial: State): Address {
  /** What the page was last at each entry of this page's history: an address holds no large files. */
  const states = new Map<string, State>();
  const entry = (): string => (history.state as { entry?: string } | null)?.entry ?? '';
  /** Entries outlive the page when it is loaded again, and are no longer known then. */
  const fresh = (): string => `${performance.timeOrigin} ${states.size}`;

  async function read(): Promise<State | null> {
    const text = location.hash.slice(1);
    if (text === '') return null;
    try {
      const state = await app.engine.decode(text);
      app.trouble('link', '');
      return state;
    } catch (error) {
      if (!(error instanceof Superseded)) app.trouble('link', error instanceof Error ? error.message : String(error));
      return null;
    }
  }

  // At once, unlike `hashchange`, and also between two entries of one address. Another address is a change like others:
  // it can be undone, and the guide waits.
  window.addEventListener('popstate', () => {
    const known = states.get(entry()) ?? (location.hash.slice(1) === '' ? initial : undefined);
    if (known) app.change(known);
    else
      void read().then((state) => {
        if (state) app.change(state);
      });
  });

  function write(text: string): void {
    const { pathname, search } = location;
    try {
      history.replaceState(history.state, '', text === '' ? pathname + search : `#${text}`);
    } catch {
      // Some browsers let no file have another address.
    }
  }

  return {
    read,
    state(): void {
      const { state } = app;
      if (!states.has(entry())) {
        try {
          history.replaceState({ entry: fresh() }, '');
        } catch {
          // As above: then Back reads the address.
        }
      }
      states.set(entry(), state);
      // Browsers take few new addresses a second. Too much to share is told when someone wants to share it.
      app.engine.later('address', app.dragging ? 250 : 0, () => {
        if (isHeld(app.state.keys)) {
          write('');
          return;
        }
        app.engine.encode(app.state, 'address').then(write, (error: unknown) => {
          if (!(error instanceof Superseded)) write('');
        });
      });
    },
  };
}
