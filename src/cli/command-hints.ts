/** Advice for commands that users of similar programs try. */
const hints: Readonly<Record<string, string>> = {
  start:
    'To start the server, run `hearth serve`, or `hearth server start` to start it in the background.',
  cp: 'To give a model another name, run `hearth alias set NAME MODEL`.',
  create:
    'To add a model from a file, run `hearth import FILE`; `hearth load MODEL --save` keeps its settings. A system prompt is part of a request: `hearth chat --system TEXT`.',
  push: 'Hearth does not publish models. Upload the file to a hub with its own tool, such as `hf upload`.',
  find: 'To search for models, run `hearth search WORDS`.',
  install:
    'To download a model, run `hearth get MODEL`. To install a runtime, run `hearth runtime install`.',
  models: 'To list models, run `hearth ls`.',
  info: 'To show the details of a model, run `hearth show MODEL`.',
  login: 'To create an API token, run `hearth token create --name NAME`.',
  plugin: 'To manage plugins, run `hearth mcp`.',
};

/**
 * Completes an error message of the argument parser with the next step.
 *
 * @param command Such as `hearth server start`.
 */
export function addHint(message: string, command: string): string {
  const name = /^error: unknown command '([\w-]+)'/.exec(message)?.[1];
  const hint = name === undefined ? undefined : hints[name];
  if (hint !== undefined && command === 'hearth')
    return `error: unknown command '${name}'\n${hint}\n`;
  return message.includes('(Did you mean') ? message : `${message}See \`${command} --help\`.\n`;
}
