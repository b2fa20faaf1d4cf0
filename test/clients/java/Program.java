import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * Runs the paths of a client against the server at HEARTH_URL, and prints what each saw as a line of JSON. After the last path it
 * stays until its standard input ends, so that a request that goes on is not stopped by its end.
 */
public final class Program {
  static final String CHAT_MODEL = "hearth/starter-chat";
  static final String EMBED_MODEL = "hearth/starter-embed";
  static final String ENDLESS_MODEL = "test/endless";
  static final String QUESTION = "What is the capital of France?";
  static final String SUM = "What is 2 + 3?";
  static final String TOOL_REQUEST = "Get the tide of Brest";
  static final String TOOL_RESULT = "{\"harbour\": \"Brest\", \"tide\": \"high\"}";
  static final String TOO_LONG = "word ".repeat(20_000);
  static final List<String> TEXTS = List.of("The sea is calm.", "The sky is blue.");
  static final ObjectMapper JSON = new ObjectMapper();

  public static void main(String[] names) throws Exception {
    String server = System.getenv("HEARTH_URL");
    Map<String, Callable<Object>> paths =
        switch (names[0]) {
          case "openai-java" -> OpenAiPaths.of(server);
          case "anthropic-java" -> AnthropicPaths.of(server);
          default -> LangChainPaths.of(names[0], server);
        };
    for (var path : paths.entrySet()) {
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("path", path.getKey());
      try {
        line.put("result", path.getValue().call());
      } catch (Exception failure) {
        line.put("failure", failure.toString());
      }
      System.out.println(JSON.writeValueAsString(line));
    }
    System.in.readAllBytes();
    System.exit(0);
  }
}
