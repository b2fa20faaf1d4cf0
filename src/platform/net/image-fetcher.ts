import { HearthError } from '../../kernel/errors/errors.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { ResolveAddresses } from './address-policy.ts';
import { HttpFailure } from './http-failure.ts';
import { readRemoteFile } from './remote-file.ts';

interface ImageFetcherOptions {
  /**
   * The setting `images.urlHosts`: `*` for all public addresses, `name` or `name:port` for a host that may have private
   * addresses.
   */
  readonly hosts: () => readonly string[];
  /** Time limit for one image. */
  readonly timeoutMs?: number;
  /** Resolves host names; the system's resolver by default. */
  readonly resolve?: ResolveAddresses;
}

interface FetchOptions {
  /** Domain path of the image, for errors. */
  readonly field: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

const maxUrlCharacters = 8192;

/**
 * Fetches images from URLs that clients provide: public ones, or those that the settings allow.
 *
 * @param options Read for each image, so that settings may change.
 * @returns A function that throws HearthError `invalid_image`, or the signal's reason when aborted.
 */
export function createImageFetcher(
  options: ImageFetcherOptions,
): (url: string, fetchOptions: FetchOptions) => Promise<Buffer> {
  return async (text, { field, maxBytes, signal }) => {
    const refusal = (message: string, cause?: unknown): HearthError =>
      new HearthError('invalid_image', message, { field, cause });
    const { timeoutMs = 20_000, resolve } = options;
    const hosts = options.hosts();
    if (hosts.length === 0) {
      throw refusal(
        `An image must be a base64 data URL such as data:image/png;base64,...; this one starts with ${JSON.stringify(text.slice(0, 32))}. The setting images.urlHosts allows http and https URLs.`,
      );
    }
    const url = parseUrl(text);
    if (url === undefined) {
      throw refusal(
        `The URL of an image must have a host, no user or password, and at most ${maxUrlCharacters} characters.`,
      );
    }
    const egress = {
      type: 'public',
      allowedHosts: hosts.filter((host) => host !== '*'),
      allowsOnlyListed: !hosts.includes('*'),
      concealsNames: true,
      ...omitUndefined({ resolve }),
    } as const;
    try {
      return await readRemoteFile(url, egress, { maxBytes, timeoutMs }, signal);
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error;
      const advice =
        error.reason === 'refused'
          ? ' The setting images.urlHosts lists the hosts from which images may be read, and that may have private addresses.'
          : '';
      throw refusal(`The image at ${url.host} can't be read: ${error.message}.${advice}`, error);
    }
  };
}

function parseUrl(text: string): URL | undefined {
  if (text.length > maxUrlCharacters || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.username === '' && url.password === '' ? url : undefined;
}
