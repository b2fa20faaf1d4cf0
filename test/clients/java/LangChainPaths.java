import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.exception.HttpException;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ResponseFormat;
import dev.langchain4j.model.chat.request.ResponseFormatType;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.request.json.JsonSchema;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.PartialResponse;
import dev.langchain4j.model.chat.response.PartialResponseContext;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.embedding.EmbeddingModel;
import dev.langchain4j.model.ollama.OllamaChatModel;
import dev.langchain4j.model.ollama.OllamaEmbeddingModel;
import dev.langchain4j.model.ollama.OllamaStreamingChatModel;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiEmbeddingModel;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/** LangChain4j with its modules for OpenAI and Ollama, which share its interfaces. */
final class LangChainPaths {
  private interface Models {
    ChatModel chat(String model);

    StreamingChatModel streaming(String model);

    EmbeddingModel embedding(String model);
  }

  private record OpenAi(String server) implements Models {
    public ChatModel chat(String model) {
      return OpenAiChatModel.builder()
          .baseUrl(server + "/v1").apiKey("any-word").modelName(model).temperature(0.0).maxRetries(0).build();
    }

    public StreamingChatModel streaming(String model) {
      return OpenAiStreamingChatModel.builder()
          .baseUrl(server + "/v1").apiKey("any-word").modelName(model).temperature(0.0).build();
    }

    public EmbeddingModel embedding(String model) {
      return OpenAiEmbeddingModel.builder()
          .baseUrl(server + "/v1").apiKey("any-word").modelName(model).build();
    }
  }

  private record Ollama(String server) implements Models {
    public ChatModel chat(String model) {
      return OllamaChatModel.builder().baseUrl(server).modelName(model).temperature(0.0).maxRetries(0).build();
    }

    public StreamingChatModel streaming(String model) {
      return OllamaStreamingChatModel.builder().baseUrl(server).modelName(model).temperature(0.0).build();
    }

    public EmbeddingModel embedding(String model) {
      return OllamaEmbeddingModel.builder().baseUrl(server).modelName(model).build();
    }
  }

  private static Map<String, Object> see(ChatResponse whole) {
    return Map.of("text", whole.aiMessage().text(), "tokens", whole.tokenUsage().outputTokenCount());
  }

  /** Waits for the whole answer, or for its first part, after which it cancels. */
  private static CompletableFuture<ChatResponse> stream(StreamingChatModel model, String text, boolean isCancelled) {
    var answer = new CompletableFuture<ChatResponse>();
    model.chat(
        ChatRequest.builder().messages(UserMessage.from(text)).build(),
        new StreamingChatResponseHandler() {
          @Override
          public void onPartialResponse(PartialResponse part, PartialResponseContext context) {
            if (!isCancelled) return;
            context.streamingHandle().cancel();
            answer.complete(null);
          }

          @Override
          public void onCompleteResponse(ChatResponse whole) {
            answer.complete(whole);
          }

          @Override
          public void onError(Throwable failure) {
            answer.completeExceptionally(failure);
          }
        });
    return answer;
  }

  static Map<String, Callable<Object>> of(String name, String server) {
    Models models = name.endsWith("ollama") ? new Ollama(server) : new OpenAi(server);
    ChatModel chat = models.chat(Program.CHAT_MODEL);
    Map<String, Callable<Object>> paths = new LinkedHashMap<>();
    paths.put("chat", () -> see(chat.chat(UserMessage.from(Program.QUESTION))));
    paths.put(
        "stream",
        () -> see(stream(models.streaming(Program.CHAT_MODEL), Program.QUESTION, false).get()));
    paths.put(
        "tools",
        () -> {
          var parameters =
              JsonObjectSchema.builder().addStringProperty("harbour").required("harbour").build();
          var tool =
              ToolSpecification.builder()
                  .name("get_tide").description("Tide of a harbour").parameters(parameters).build();
          var user = UserMessage.from(Program.TOOL_REQUEST);
          var first =
              chat.chat(ChatRequest.builder().messages(user).toolSpecifications(tool).build()).aiMessage();
          var call = first.toolExecutionRequests().get(0);
          var result = ToolExecutionResultMessage.from(call, Program.TOOL_RESULT);
          var second =
              chat.chat(
                  ChatRequest.builder().messages(user, first, result).toolSpecifications(tool).build());
          return Map.of(
              "name", call.name(),
              "arguments", Program.JSON.readTree(call.arguments()),
              "text", see(second).get("text"));
        });
    paths.put(
        "structured output",
        () -> {
          var root = JsonObjectSchema.builder().addIntegerProperty("answer").required("answer").build();
          var format =
              ResponseFormat.builder()
                  .type(ResponseFormatType.JSON)
                  .jsonSchema(JsonSchema.builder().name("sum").rootElement(root).build())
                  .build();
          var request =
              ChatRequest.builder().messages(UserMessage.from(Program.SUM)).responseFormat(format).build();
          return Program.JSON.readTree(chat.chat(request).aiMessage().text());
        });
    paths.put(
        "embeddings",
        () ->
            models
                .embedding(Program.EMBED_MODEL)
                .embedAll(Program.TEXTS.stream().map(TextSegment::from).toList())
                .content()
                .stream()
                .map(each -> each.dimension())
                .toList());
    paths.put(
        "errors with a long context",
        () -> {
          List<Object> seen = new ArrayList<>();
          Map<String, String> requests = new LinkedHashMap<>();
          requests.put("nobody/nothing", Program.QUESTION);
          requests.put(Program.CHAT_MODEL, Program.TOO_LONG);
          for (var request : requests.entrySet()) {
            try {
              seen.add(see(models.chat(request.getKey()).chat(UserMessage.from(request.getValue()))));
            } catch (RuntimeException failure) {
              int status = failure.getCause() instanceof HttpException cause ? cause.statusCode() : 0;
              seen.add(
                  Map.of("status", status, "type", failure.getClass().getSimpleName()));
            }
          }
          return seen;
        });
    paths.put(
        "abort",
        () -> stream(models.streaming(Program.ENDLESS_MODEL), "Tell me a story", true).get() == null);
    return paths;
  }
}
