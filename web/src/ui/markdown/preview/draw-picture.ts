import { InvalidCodeError, openFrame, type Frame } from './open-frame.ts';

type PictureKind = 'diagram' | 'svg';

/** Maximum number of cached pictures, which are not drawn again when their message scrolls back into view. */
const maxKept = 100;
const kept = new Map<string, Promise<string>>();

interface OpenFrame {
  readonly element: HTMLIFrameElement;
  readonly frame: Promise<Frame>;
}
const frames = new Map<PictureKind, OpenFrame>();
let last: Promise<unknown> = Promise.resolve();

/**
 * Draws a picture in an isolated frame, one picture at a time.
 *
 * @returns The URL of an SVG image; within images, browsers run no scripts and load nothing.
 * @throws InvalidCodeError for invalid code; other errors if drawing took too long.
 */
export function drawPicture(kind: PictureKind, code: string): Promise<string> {
  const key = `${kind} ${code}`;
  const earlier = kept.get(key);
  if (earlier !== undefined) return earlier;
  const drawn = last.then(() => drawNow(kind, code));
  last = drawn.catch(() => undefined);
  kept.set(key, drawn);
  const [oldest] = kept.keys();
  if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
  return drawn;
}

async function drawNow(kind: PictureKind, code: string): Promise<string> {
  const used = frames.get(kind) ?? openHidden(kind);
  frames.set(kind, used);
  try {
    const frame = await used.frame;
    const svg = await frame.draw(code);
    return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  } catch (error) {
    if (error instanceof InvalidCodeError) throw error;
    // A later attempt gets a new frame.
    kept.delete(`${kind} ${code}`);
    frames.delete(kind);
    used.element.remove();
    throw error;
  }
}

function openHidden(kind: PictureKind): OpenFrame {
  const element = document.createElement('iframe');
  element.setAttribute('sandbox', 'allow-scripts');
  element.setAttribute('aria-hidden', 'true');
  element.tabIndex = -1;
  element.className = 'drawing-frame';
  document.body.append(element);
  return { element, frame: openFrame(element, kind) };
}
