const manifest = document.querySelector<HTMLLinkElement>('link[rel="manifest"]');

/**
 * The prefix that a proxy adds to every path of the server, such as `/hearth`; otherwise an empty text. The server
 * writes it into the URLs of the page.
 */
export const basePath =
  manifest === null ? '' : new URL('.', manifest.href).pathname.replace(/\/$/, '');
