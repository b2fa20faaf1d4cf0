/** Maximum time to wait until the focused element is removed, such as a row that the server is deleting. */
const longestWaitMs = 10_000;

/** Moves the focus to the content of the page when the focused element is removed soon. */
export function keepFocusInPage(): void {
  const observer = new MutationObserver(() =>
    requestAnimationFrame(() => {
      if (document.activeElement !== document.body) return;
      observer.disconnect();
      document.getElementById('content')?.focus();
    }),
  );
  observer.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => observer.disconnect(), longestWaitMs);
}
