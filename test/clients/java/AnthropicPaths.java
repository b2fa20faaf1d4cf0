import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.core.JsonValue;
import com.anthropic.errors.AnthropicServiceException;
import com.anthropic.helpers.MessageAccumulator;
import com.anthropic.models.messages.ContentBlockParam;
import com.anthropic.models.messages.Message;
import com.anthropic.models.messages.MessageCountTokensParams;
import com.anthropic.models.messages.MessageCreateParams;
import com.anthropic.models.messages.RawMessageStreamEvent;
import com.anthropic.models.messages.Tool;
import com.anthropic.models.messages.ToolResultBlockParam;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

final class AnthropicPaths {
  static final class Sum {
    public int answer;
  }

  static MessageCreateParams.Builder ask(String model, String text) {
    return MessageCreateParams.builder()
        .model(model)
        .maxTokens(512)
        .putAdditionalBodyProperty("temperature", JsonValue.from(0))
        .addUserMessage(text);
  }

  static Map<String, Object> see(Message whole) {
    String text =
        whole.content().stream()
            .flatMap(block -> block.text().stream())
            .map(block -> block.text())
            .collect(Collectors.joining());
    return Map.of("text", text, "tokens", whole.usage().outputTokens());
  }

  static Map<String, Callable<Object>> of(String server) {
    var client =
        AnthropicOkHttpClient.builder().baseUrl(server).apiKey("any-word").maxRetries(0).build();
    var messages = client.messages();
    Map<String, Callable<Object>> paths = new LinkedHashMap<>();
    paths.put(
        "models",
        () -> {
          List<String> names = new ArrayList<>();
          client.models().list().autoPager().forEach(each -> names.add(each.id()));
          return names;
        });
    paths.put("chat", () -> see(messages.create(ask(Program.CHAT_MODEL, Program.QUESTION).build())));
    paths.put(
        "stream",
        () -> {
          var whole = MessageAccumulator.create();
          var request = ask(Program.CHAT_MODEL, Program.QUESTION).build();
          try (var stream = messages.createStreaming(request)) {
            stream.stream().forEach(whole::accumulate);
          }
          return see(whole.message());
        });
    paths.put(
        "tools",
        () -> {
          var properties =
              Tool.InputSchema.Properties.builder()
                  .putAdditionalProperty("harbour", JsonValue.from(Map.of("type", "string")))
                  .build();
          var schema =
              Tool.InputSchema.builder().properties(properties).addRequired("harbour").build();
          var tool =
              Tool.builder()
                  .name("get_tide")
                  .description("Tide of a harbour")
                  .inputSchema(schema)
                  .build();
          var request = ask(Program.CHAT_MODEL, Program.TOOL_REQUEST).addTool(tool);
          var first = messages.create(request.build());
          var call =
              first.content().stream().flatMap(block -> block.toolUse().stream()).findFirst().orElseThrow();
          var result =
              ToolResultBlockParam.builder()
                  .toolUseId(call.id())
                  .content(Program.TOOL_RESULT)
                  .build();
          request
              .addMessage(first)
              .addUserMessageOfContentBlockParams(List.of(ContentBlockParam.ofToolResult(result)));
          return Map.of(
              "name", call.name(),
              "arguments", call._input().convert(Map.class),
              "text", see(messages.create(request.build())).get("text"));
        });
    paths.put(
        "structured output",
        () ->
            messages
                .create(ask(Program.CHAT_MODEL, Program.SUM).outputConfig(Sum.class).build())
                .content()
                .stream()
                .flatMap(block -> block.text().stream())
                .findFirst()
                .orElseThrow()
                .text());
    paths.put(
        "counted tokens",
        () -> {
          var request =
              MessageCountTokensParams.builder()
                  .model(Program.CHAT_MODEL)
                  .addUserMessage(Program.QUESTION)
                  .build();
          return List.of(messages.countTokens(request).inputTokens());
        });
    paths.put(
        "errors with a long context",
        () -> {
          List<Object> seen = new ArrayList<>();
          for (var request :
              List.of(
                  ask("nobody/nothing", Program.QUESTION),
                  ask(Program.CHAT_MODEL, Program.QUESTION)
                      .putAdditionalBodyProperty("temperature", JsonValue.from(3)),
                  ask(Program.CHAT_MODEL, Program.TOO_LONG))) {
            try {
              seen.add(see(messages.create(request.build())));
            } catch (AnthropicServiceException failure) {
              seen.add(
                  Map.of(
                      "status", failure.statusCode(),
                      "type", failure.errorType().map(Object::toString).orElse("")));
            }
          }
          return seen;
        });
    paths.put(
        "abort",
        () -> {
          var request = ask(Program.ENDLESS_MODEL, "Tell me a story").maxTokens(60_000).build();
          try (var stream = messages.createStreaming(request)) {
            return stream.stream().anyMatch(RawMessageStreamEvent::isContentBlockDelta);
          }
        });
    return paths;
  }
}
