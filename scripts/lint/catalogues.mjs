import { IntlMessageFormat } from 'intl-messageformat';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../../web/src/texts');

/** The languages of the web app, which are the folders of its texts. */
export async function readLanguages() {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** The messages of a language by path, such as `app.chat.send`. */
export async function readMessages(language) {
  const messages = new Map();
  for (const file of (await readdir(join(folder, language))).toSorted()) {
    const name = file.replace(/\.json$/, '');
    collect(name, JSON.parse(await readFile(join(folder, language, file), 'utf8')), messages);
  }
  return messages;
}

function collect(path, value, messages) {
  if (typeof value === 'string') messages.set(path, value);
  else for (const [key, each] of Object.entries(value)) collect(`${path}.${key}`, each, messages);
}

/** The values of a message with their types, in order. Throws if the message is invalid. */
export function valuesOf(message) {
  const values = new Map();
  if (!message.includes('{')) return values;
  const { ast } = new IntlMessageFormat(message, 'en', undefined, { ignoreTag: true });
  readValues(ast, values);
  return values;
}

/** Types of values by formatjs element type, for the types that the app uses. Type 5 (a choice) is rejected below. */
const types = { 1: 'string', 2: 'number', 6: 'number' };

function readValues(elements, values) {
  for (const { type, value, options } of elements) {
    if (type === 5) throw new Error(`Use a message for each choice of ${value}.`);
    if (types[type] !== undefined) values.set(value, types[type]);
    for (const option of Object.values(options ?? {})) readValues(option.value, values);
  }
}

/** Source of the module with the types of all messages' values, derived from the English messages. */
export async function textValuesModule() {
  const lines = [];
  for (const [path, message] of await readMessages('en')) {
    const values = valuesOf(message);
    if (values.size === 0) continue;
    const fields = [...values].map(([name, type]) => `readonly ${name}: ${type}`);
    lines.push(`  '${path}': { ${fields.join('; ')} };`);
  }
  return `/** The values of messages that contain any. \`npm run generate\` writes this file from the English texts. */
export interface TextValues {
${lines.join('\n')}
}
`;
}
