export interface FrameRequest {
  readonly id: number;
  readonly code: string;
}

/** Messages of a frame: it waits for its script, the script listens, the drawing succeeded or failed. */
export type FrameReply =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'ready' }
  | { readonly kind: 'drawn'; readonly id: number; readonly svg: string }
  | { readonly kind: 'failed'; readonly id: number; readonly reason: string };

const reply = (message: FrameReply) => parent.postMessage(message, '*');

/**
 * Answers requests of the app in the document of `/frame`, which has an origin of its own and can't send requests.
 *
 * @param draw gives SVG, or shows the code itself and gives an empty text. It throws for code that is not valid.
 */
export function answerRequests(draw: (code: string) => string | Promise<string>): void {
  const answer = async ({ id, code }: FrameRequest) => {
    try {
      reply({ kind: 'drawn', id, svg: await draw(code) });
    } catch (error) {
      reply({ kind: 'failed', id, reason: error instanceof Error ? error.message : String(error) });
    }
  };
  addEventListener('message', ({ data, source }: MessageEvent<FrameRequest>) => {
    if (source === parent) void answer(data);
  });
  reply({ kind: 'ready' });
}
