// An answer that matches a JSON schema: the engine generates only tokens that the schema allows.
const url = process.env.HEARTH_URL ?? 'http://127.0.0.1:1234';

const schema = {
  type: 'object',
  properties: { answer: { type: 'string', enum: ['Paris', 'London', 'Rome'] } },
  required: ['answer'],
  additionalProperties: false,
};

const response = await fetch(`${url}/v1/chat/completions`, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({
    model: 'hearth/starter-chat',
    messages: [{ role: 'user', content: 'What is the capital of France?' }],
    response_format: { type: 'json_schema', json_schema: { name: 'capital', schema } },
    temperature: 0,
  }),
});
const body = await response.json();
if (!response.ok) throw new Error(body.error.message);
const { answer } = JSON.parse(body.choices[0].message.content);
console.log(answer);
