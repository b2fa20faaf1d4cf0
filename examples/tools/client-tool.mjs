// A tool that this program runs. The model asks for the call, the program answers it, and the model continues.
const url = process.env.HEARTH_URL ?? 'http://127.0.0.1:1234';

const tools = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'Get the current weather of a city',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
      },
    },
  },
];
/** A real program would look the city up. */
const getWeather = ({ city }) => ({ temperature: city === 'Oslo' ? 14 : 21, sky: 'cloudy' });

async function complete(messages) {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      model: 'hearth/starter-chat',
      messages,
      tools,
      temperature: 0,
      reasoning_effort: 'none',
    }),
  });
  const body = await response.json();
  if (!response.ok) throw new Error(body.error.message);
  return body.choices[0].message;
}

const messages = [{ role: 'user', content: 'What is the weather in Oslo?' }];
let message = await complete(messages);
while (message.tool_calls !== undefined) {
  messages.push(message);
  for (const call of message.tool_calls) {
    const result = getWeather(JSON.parse(call.function.arguments));
    console.log(`${call.function.name}(${call.function.arguments}) → ${JSON.stringify(result)}`);
    messages.push({ role: 'tool', tool_call_id: call.id, content: JSON.stringify(result) });
  }
  message = await complete(messages);
}
console.log(message.content);
