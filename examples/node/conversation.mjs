// A conversation that the server stores: each turn names the response that it continues.
const url = process.env.HEARTH_URL ?? 'http://127.0.0.1:1234';

async function say(input, previousResponseId) {
  const response = await fetch(`${url}/api/v1/chat`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      model: 'hearth/starter-chat',
      input,
      previous_response_id: previousResponseId,
      temperature: 0,
      reasoning: 'off',
    }),
  });
  const body = await response.json();
  if (!response.ok) throw new Error(body.error.message);
  const text = body.output.map(({ content }) => content).join('');
  console.log(`> ${input}\n${text}\n`);
  return body.response_id;
}

const first = await say('My name is Ada.');
const second = await say('My favourite colour is green.', first);
await say('What is my name?', second);
// A branch: it continues the first response, so it does not contain the second turn.
await say('What is my favourite colour?', first);
