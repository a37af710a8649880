// SPDX-License-Identifier: Apache-2.0
#include "harness/client/border/orders.h"

#include <cstdlib>

#include "harness/base/files/read.h"
#include "harness/base/files/whole_file.h"
#include "harness/client/border/json.h"

namespace harness::client {

static std::string orders_file(const std::string& folder) { return folder + "/orders.json"; }

void write_orders(const std::string& folder, const Orders& orders) {
  const nlohmann::json json{{"draws", orders.draws},           {"seed", orders.seed},
                            {"tape", tape_json(orders.tape)},  {"asks", orders.asks},
                            {"locates", orders.locates},       {"serves", orders.serves},
                            {"fails", orders.fails},           {"failable", orders.failable_count},
                            {"pedantic", orders.pedantic},     {"forces", orders.forces},
                            {"trial", raw(orders.trial.kind)}, {"call", orders.trial.call},
                            {"stream", orders.trial.stream},   {"place", orders.trial.place},
                            {"flushes", orders.flushes}};
  write_whole_file(orders_file(folder), json.dump(), OnDisk::later);
}

Orders read_orders(const std::string& folder) {
  const std::string text = read_whole_file(orders_file(folder));
  return checked_json("orders.json", [&] {
    const auto json = nlohmann::json::parse(text);
    Orders orders;
    orders.draws = json.at("draws");
    orders.seed = json.at("seed");
    orders.tape = tape_of(json.at("tape"));
    orders.asks = json.at("asks");
    orders.locates = json.at("locates");
    orders.serves = json.at("serves");
    orders.fails = json.at("fails");
    orders.failable_count = json.at("failable");
    orders.pedantic = json.at("pedantic");
    orders.forces = json.at("forces");
    orders.flushes = json.at("flushes");
    orders.trial = {json.at("trial").get<Trial::Kind>(), json.at("call"), json.at("stream"),
                    json.at("place")};
    return orders;
  });
}

std::optional<std::string> ordered_folder() {
  const char* folder = std::getenv(kFolderVariable);
  if (folder == nullptr || *folder == '\0') return std::nullopt;
  return folder;
}

}  // namespace harness::client
