// Asks a vision model about an image. Usage: node describe-image.mjs [file]
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const url = process.env.HEARTH_URL ?? 'http://127.0.0.1:1234';
const file = process.argv[2] ?? join(import.meta.dirname, 'red-circle.png');
const image = await readFile(file);

const response = await fetch(`${url}/api/v1/chat`, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({
    model: 'hearth/starter-vision',
    input: [
      { type: 'image', data_url: `data:image/png;base64,${image.toString('base64')}` },
      { type: 'text', content: 'What colour is the picture?' },
    ],
    temperature: 0,
    reasoning: 'off',
  }),
});
const body = await response.json();
if (!response.ok) throw new Error(body.error.message);
console.log(body.output[0].content);
