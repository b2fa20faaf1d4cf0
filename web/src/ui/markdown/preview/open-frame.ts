import { basePath } from '../../../api/base-path.ts';
// The build creates the URLs of the scripts.
// oxlint-disable import/default
import diagramScript from './diagram-frame.ts?worker&url';
import type { FrameReply } from './frame-messages.ts';
import pageScript from './page-frame.ts?worker&url';
import svgScript from './svg-frame.ts?worker&url';
// oxlint-enable import/default
import type { PreviewKind } from './preview-kind.ts';

const scripts = { diagram: diagramScript, svg: svgScript, html: pageScript };

/** Time limit for loading the script of a frame, and for each drawing. */
const loadLimitMs = 60_000;
const drawLimitMs = 15_000;

/** An isolated document in which a script of the app draws untrusted code of models. */
export interface Frame {
  /**
   * @returns SVG, or an empty text if the frame itself shows the code.
   * @throws InvalidCodeError for invalid code; after any other error, the frame must not be used again.
   */
  draw(code: string): Promise<string>;
}

export class InvalidCodeError extends Error {}

/** Loads the frame for a kind of preview into an iframe. */
export async function openFrame(element: HTMLIFrameElement, kind: PreviewKind): Promise<Frame> {
  const loaded = nextReply(element, ({ kind: sent }) => sent === 'loaded', loadLimitMs);
  element.src = `${basePath}/frame`;
  const [script] = await Promise.all([textOf(scripts[kind]), loaded]);
  const ready = nextReply(element, ({ kind: sent }) => sent === 'ready', loadLimitMs);
  // The frame has an opaque origin, which can't be named as a target.
  element.contentWindow?.postMessage(script, '*');
  await ready;
  let count = 0;
  return {
    async draw(code) {
      count += 1;
      const id = count;
      const reply = nextReply(element, (each) => 'id' in each && each.id === id, drawLimitMs);
      element.contentWindow?.postMessage({ id, code }, '*');
      const answer = await reply;
      if (answer.kind === 'failed') throw new InvalidCodeError(answer.reason);
      return answer.kind === 'drawn' ? answer.svg : '';
    },
  };
}

async function textOf(url: string): Promise<string> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} has status ${response.status}`);
  return response.text();
}

function nextReply(
  element: HTMLIFrameElement,
  isWanted: (reply: FrameReply) => boolean,
  limitMs: number,
): Promise<FrameReply> {
  return new Promise((resolve, reject) => {
    const end = () => {
      removeEventListener('message', receive);
      clearTimeout(timer);
    };
    const receive = ({ source, data }: MessageEvent<FrameReply>) => {
      if (source !== element.contentWindow || !isWanted(data)) return;
      end();
      resolve(data);
    };
    const timer = setTimeout(() => {
      end();
      reject(new Error('The frame did not answer in time.'));
    }, limitMs);
    addEventListener('message', receive);
  });
}
