import { httpsEdgeRouteUserAgentFilter } from "../../src/resources/httpsEdgeRouteUserAgentFilter";
import { routes } from "./routes";
import { suite, updates } from "./suite";

const put = (body: object) => updates(["PUT /edges/https/{edge_id}/routes/{id}/user_agent_filter", body]);

const full = { enabled: false, allow: ["(?i)curl/.*", "Mozilla"], deny: ["[Bb]ot", "crawler"] };
const wire = full;
const { enabled, allow, deny } = wire;

const stage = suite(httpsEdgeRouteUserAgentFilter, {
  full,
  wire,
  parents: routes,
  everything: { add: put(wire), clear: put({}) },
  rows: {
    enabled: {
      other: true,
      add: put({ enabled }),
      change: put({ enabled: true, allow, deny }),
      clear: put({ allow, deny }),
      theirs: true,
      againstDefault: false,
    },
    allow: {
      other: ["Mozilla"],
      add: put({ allow }),
      change: put({ enabled, allow: ["Mozilla"], deny }),
      clear: put({ enabled, deny }),
      theirs: ["theirs"],
      againstDefault: ["theirs"],
    },
    deny: {
      other: [],
      add: put({ deny }),
      change: put({ enabled, allow, deny: [] }),
      clear: put({ enabled, allow }),
      theirs: ["theirs"],
      againstDefault: ["theirs"],
    },
  },
});

test("placeholder", () => expect(stage).toBeDefined());
