import type { HtmlTagDescriptor, Plugin } from 'vite';

/** Names the scripts of the chat page in the document, so that browsers load them together with the entry. */
export function preloadChat(): Plugin {
  return {
    name: 'preload-chat',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html, { bundle = {} }) => {
        const chunks = Object.values(bundle).filter((each) => each.type === 'chunk');
        const page = chunks.find(
          ({ facadeModuleId }) => facadeModuleId?.endsWith('/pages/chat/chat-page.tsx') === true,
        );
        if (page === undefined) return [];
        const names = [page.fileName, ...page.imports].filter((name) => !html.includes(name));
        return names.map((name): HtmlTagDescriptor => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `/${name}` },
          injectTo: 'head',
        }));
      },
    },
  };
}
