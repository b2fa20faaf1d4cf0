import type { App } from './app-environment.ts';

const tags = [
  {
    name: 'v1',
    description: 'Stateful: the server keeps the conversation, loads and unloads models.',
  },
  {
    name: 'v0',
    description: 'Stateless, in the shapes of OpenAI, with statistics of each answer.',
  },
  { name: 'server', description: 'State of the server itself; never asks for a token.' },
];

interface DocumentOptions {
  readonly version: string;
  readonly serverUrl: string;
}

/** The OpenAPI 3.1 document of every endpoint that was mounted on the app. */
export function openApiDocument(app: App, { version, serverUrl }: DocumentOptions) {
  if (!app.openAPIRegistry.definitions.some((definition) => definition.type === 'component')) {
    app.openAPIRegistry.registerComponent('securitySchemes', 'token', {
      type: 'http',
      scheme: 'bearer',
      description: 'Made by `hearth token create`; needed where the server requires tokens.',
    });
  }
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Hearth',
      version,
      description: 'A local model server: chat, completions and embeddings on your own machine.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: serverUrl }],
    tags,
  });
}
