/** Sets what every response carries, also one that the app never sees; an endpoint may choose its own caching. */
export function setDefaultHeaders(headers: Headers, requestId: string): void {
  headers.set('X-Request-Id', requestId);
  headers.set('X-Content-Type-Options', 'nosniff');
  headers.set('Cross-Origin-Resource-Policy', 'same-origin');
  if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'no-store');
}
