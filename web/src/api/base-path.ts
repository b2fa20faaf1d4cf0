const manifest = document.querySelector<HTMLLinkElement>('link[rel="manifest"]');

/**
 * The path that a proxy puts before every path of the server, such as `/hearth`; else an empty text. The server puts it into
 * the addresses of the page.
 */
export const basePath =
  manifest === null ? '' : new URL('.', manifest.href).pathname.replace(/\/$/, '');
