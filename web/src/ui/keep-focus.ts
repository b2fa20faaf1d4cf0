/** Most time until the element is gone, such as a row until the server has deleted it. */
const longestWaitMs = 10_000;

/** Moves the focus to the content of the page if the element that has it is removed soon. */
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
