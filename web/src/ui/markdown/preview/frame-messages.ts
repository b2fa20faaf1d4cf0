export interface FrameRequest {
  readonly id: number;
  readonly code: string;
}

/** Messages of a frame: it is ready for its script, the script is ready, or the drawing succeeded or failed. */
export type FrameReply =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'ready' }
  | { readonly kind: 'drawn'; readonly id: number; readonly svg: string }
  | { readonly kind: 'failed'; readonly id: number; readonly reason: string };

const reply = (message: FrameReply) => parent.postMessage(message, '*');

/**
 * Answers requests of the app in the document of `/frame`, which has a separate origin and can't send network requests.
 *
 * @param draw Returns SVG, or an empty text if it shows the code itself. Throws for invalid code.
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
