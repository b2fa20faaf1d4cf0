// Before the first paint, in a file because servers allow no inline scripts.
const kept = localStorage.getItem('vitepress-theme-appearance') ?? 'auto';
const isDark =
  kept === 'dark' || (kept === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
document.documentElement.classList.toggle('dark', isDark);
document.documentElement.classList.toggle('mac', /Mac|iPhone|iPod|iPad/.test(navigator.platform));
