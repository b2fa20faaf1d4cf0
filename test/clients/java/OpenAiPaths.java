import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonTypeName;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.errors.OpenAIServiceException;
import com.openai.helpers.ChatCompletionAccumulator;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import com.openai.models.chat.completions.ChatCompletionToolMessageParam;
import com.openai.models.embeddings.EmbeddingCreateParams;
import com.openai.models.responses.ResponseCreateParams;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

final class OpenAiPaths {
  static final class Sum {
    public int answer;
  }

  @JsonTypeName("get_tide")
  @JsonClassDescription("Tide of a harbour")
  static final class Tide {
    public String harbour;
  }

  static ChatCompletionCreateParams.Builder ask(String model, String text) {
    return ChatCompletionCreateParams.builder().model(model).temperature(0.0).addUserMessage(text);
  }

  static Map<String, Object> see(ChatCompletion whole) {
    return Map.of(
        "text", whole.choices().get(0).message().content().orElse(""),
        "tokens", whole.usage().orElseThrow().completionTokens());
  }

  static Map<String, Callable<Object>> of(String server) {
    var client =
        OpenAIOkHttpClient.builder().baseUrl(server + "/v1").apiKey("any-word").maxRetries(0).build();
    var completions = client.chat().completions();
    Map<String, Callable<Object>> paths = new LinkedHashMap<>();
    paths.put(
        "models",
        () -> {
          List<String> names = new ArrayList<>();
          client.models().list().autoPager().forEach(each -> names.add(each.id()));
          return names;
        });
    paths.put("chat", () -> see(completions.create(ask(Program.CHAT_MODEL, Program.QUESTION).build())));
    paths.put(
        "stream",
        () -> {
          var options = ChatCompletionStreamOptions.builder().includeUsage(true).build();
          var request = ask(Program.CHAT_MODEL, Program.QUESTION).streamOptions(options).build();
          var whole = ChatCompletionAccumulator.create();
          try (var stream = completions.createStreaming(request)) {
            stream.stream().forEach(whole::accumulate);
          }
          return see(whole.chatCompletion());
        });
    paths.put(
        "tools",
        () -> {
          var request = ask(Program.CHAT_MODEL, Program.TOOL_REQUEST).addTool(Tide.class);
          var message = completions.create(request.build()).choices().get(0).message();
          var call = message.toolCalls().orElseThrow().get(0).asFunction();
          var result =
              ChatCompletionToolMessageParam.builder()
                  .toolCallId(call.id())
                  .content(Program.TOOL_RESULT)
                  .build();
          var answer = completions.create(request.addMessage(message).addMessage(result).build());
          return Map.of(
              "name", call.function().name(),
              "arguments", call.function().arguments(Tide.class),
              "text", see(answer).get("text"));
        });
    paths.put(
        "structured output",
        () -> {
          var request = ask(Program.CHAT_MODEL, Program.SUM).responseFormat(Sum.class).build();
          return completions.create(request).choices().get(0).message().content().orElseThrow();
        });
    paths.put(
        "embeddings",
        () -> {
          var request =
              EmbeddingCreateParams.builder()
                  .model(Program.EMBED_MODEL)
                  .inputOfArrayOfStrings(Program.TEXTS)
                  .build();
          return client.embeddings().create(request).data().stream()
              .map(each -> each.embedding().size())
              .toList();
        });
    paths.put(
        "responses",
        () -> {
          var request =
              ResponseCreateParams.builder()
                  .model(Program.CHAT_MODEL)
                  .temperature(0.0)
                  .input(Program.QUESTION)
                  .build();
          var streamed = new StringBuilder();
          var text = new StringBuilder();
          try (var stream = client.responses().createStreaming(request)) {
            stream.stream()
                .forEach(
                    event -> {
                      event.outputTextDelta().ifPresent(each -> streamed.append(each.delta()));
                      event.completed().stream()
                          .flatMap(each -> each.response().output().stream())
                          .flatMap(item -> item.message().stream())
                          .flatMap(message -> message.content().stream())
                          .flatMap(part -> part.outputText().stream())
                          .forEach(part -> text.append(part.text()));
                    });
          }
          return Map.of("streamed", streamed.toString(), "text", text.toString());
        });
    paths.put(
        "errors with a long context",
        () -> {
          List<Object> seen = new ArrayList<>();
          for (var request :
              List.of(
                  ask("nobody/nothing", Program.QUESTION),
                  ask(Program.CHAT_MODEL, Program.QUESTION).temperature(3.0),
                  ask(Program.CHAT_MODEL, Program.TOO_LONG))) {
            try {
              seen.add(see(completions.create(request.build())));
            } catch (OpenAIServiceException failure) {
              seen.add(
                  Map.of(
                      "status", failure.statusCode(),
                      "code", failure.code().orElse(""),
                      "param", failure.param().orElse("")));
            }
          }
          return seen;
        });
    paths.put(
        "abort",
        () -> {
          var request = ask(Program.ENDLESS_MODEL, "Tell me a story").build();
          try (var stream = completions.createStreaming(request)) {
            return stream.stream().findFirst().isPresent();
          }
        });
    return paths;
  }
}
