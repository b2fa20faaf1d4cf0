// The official OpenAI client with Hearth as its server (npm install openai).
import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: `${process.env.HEARTH_URL ?? 'http://127.0.0.1:1234'}/v1`,
  apiKey: process.env.HEARTH_TOKEN ?? 'not needed without auth.required',
});

const completion = await client.chat.completions.create({
  model: 'hearth/starter-chat',
  messages: [
    { role: 'system', content: 'You are Bramble.' },
    { role: 'user', content: 'Who are you?' },
  ],
  temperature: 0,
  reasoning_effort: 'none',
});
console.log(completion.choices[0].message.content);

const { data } = await client.embeddings.create({
  model: 'hearth/starter-embed',
  input: ['The cat sleeps on the sofa.', 'A kitten naps on the couch.', 'Stocks fell on Monday.'],
});
const [cat, kitten, stocks] = data.map(({ embedding }) => embedding);
console.log(
  `similar: ${cosine(cat, kitten).toFixed(2)}, different: ${cosine(cat, stocks).toFixed(2)}`,
);

function cosine(left, right) {
  const dot = (a, b) => a.reduce((sum, value, index) => sum + value * b[index], 0);
  return dot(left, right) / Math.sqrt(dot(left, left) * dot(right, right));
}
