// SPDX-License-Identifier: Apache-2.0
// Our libnvidia-ml.so.1, as a program sees it: the device that libcuda.so.1 reports.
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <cstddef>
#include <cstring>

#include "harness/client/inside/libnvml/interface.h"
#include "harness/client/tests/inside/libcuda_stage.h"

#if __has_include(<nvml.h>)
#include <nvml.h>
static_assert(sizeof(nvmlPciInfo_t) == sizeof(harness::nvml::PciInfo));
static_assert(sizeof(nvmlPciInfoExt_v1_t) == sizeof(harness::nvml::PciInfoExt));
static_assert(sizeof(nvmlMemory_t) == sizeof(harness::nvml::Memory));
static_assert(sizeof(nvmlUUID_v1_t) == sizeof(harness::nvml::Uuid));
static_assert(sizeof(nvmlFieldValue_t) == sizeof(harness::nvml::FieldValue));
static_assert(offsetof(nvmlFieldValue_t, nvmlReturn) ==
              offsetof(harness::nvml::FieldValue, result));
static_assert(nvmlMemory_v2 == harness::nvml::struct_version<harness::nvml::MemoryV2>(2));
#endif

namespace harness::nvml {
namespace {

constexpr Result kOk = Result::SUCCESS;

class Nvml : public ::harness::testing::Libcuda {
 protected:
  void SetUp() override {
    Libcuda::SetUp();
    if (IsSkipped()) return;
    nvml_ = dlopen((harness::testing::own_libcuda().parent_path() / "libnvidia-ml.so.1").c_str(),
                   RTLD_NOW);
    ASSERT_NE(nvml_, nullptr) << dlerror();
    ASSERT_EQ(call("nvmlInit_v2"), kOk);
    ASSERT_EQ(call("nvmlDeviceGetHandleByIndex_v2", 0U, &device_), kOk);
  }
  void TearDown() override {
    if (nvml_ != nullptr) EXPECT_EQ(call("nvmlShutdown"), kOk);
  }

  template <class... Arguments>
  Result call(const char* name, Arguments... arguments) const {
    const auto function = reinterpret_cast<Result (*)(Arguments...)>(dlsym(nvml_, name));
    EXPECT_NE(function, nullptr) << name;
    return function != nullptr ? function(arguments...) : Result::ERROR_UNKNOWN;
  }
  std::string text(const char* name) const {
    char answer[96] = "";
    EXPECT_EQ(call(name, device_, &answer[0], unsigned{sizeof answer}), kOk);
    return answer;
  }

  void* nvml_ = nullptr;
  Device* device_ = nullptr;
};

TEST_F(Nvml, EachFieldSaysThatItIsNotThere) {
  FieldValue links[2] = {{.field = 91}, {.field = 92}};
  EXPECT_EQ(call("nvmlDeviceGetFieldValues", device_, 2, &links[0]), kOk);
  for (const FieldValue& link : links) {
    EXPECT_EQ(link.result, Result::ERROR_NOT_SUPPORTED);
    EXPECT_EQ(link.value, 0U);
  }
  EXPECT_EQ(call("nvmlDeviceGetFieldValues", device_, 0, &links[0]),
            Result::ERROR_INVALID_ARGUMENT);
  FieldValue* none = nullptr;
  EXPECT_EQ(call("nvmlDeviceGetFieldValues", device_, 2, none), Result::ERROR_INVALID_ARGUMENT);
}

TEST_F(Nvml, ThereIsTheOneDeviceOfTheDriver) {
  unsigned count = 0;
  Device* none = nullptr;
  EXPECT_EQ(call("nvmlDeviceGetCount_v2", &count), kOk);
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(call("nvmlDeviceGetHandleByIndex_v2", 1U, &none), Result::ERROR_INVALID_ARGUMENT);
  char name[96] = "";
  ASSERT_EQ(get("cuDeviceGetName", &DriverTable::cuDeviceGetName)(name, sizeof name, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(text("nvmlDeviceGetName"), name);
  int driver = 0;
  int nvml = 0;
  get("cuDriverGetVersion", &DriverTable::cuDriverGetVersion)(&driver);
  EXPECT_EQ(call("nvmlSystemGetCudaDriverVersion_v2", &nvml), kOk);
  EXPECT_EQ(driver, nvml);
  int major = 0;
  int minor = 0;
  EXPECT_EQ(call("nvmlDeviceGetCudaComputeCapability", device_, &major, &minor), kOk);
  EXPECT_EQ(major * 10 + minor, 80);
}

TEST_F(Nvml, ItsUuidIsThatOfTheDriver) {
  CUuuid uuid{};
  ASSERT_EQ(get("cuDeviceGetUuid_v2", &DriverTable::cuDeviceGetUuid_v2)(&uuid, 0), CUDA_SUCCESS);
  std::string hex;
  for (const char byte : uuid.bytes) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", static_cast<unsigned char>(byte));
    hex += two;
  }
  std::string told = text("nvmlDeviceGetUUID");
  Device* found = nullptr;
  EXPECT_EQ(call("nvmlDeviceGetHandleByUUID", told.c_str(), &found), kOk);
  EXPECT_EQ(found, device_);
  EXPECT_EQ(call("nvmlDeviceGetHandleByUUID", "GPU-0", &found), Result::ERROR_NOT_FOUND);
  std::erase(told, '-');
  EXPECT_EQ(told, "GPU" + hex);
  Uuid bytes{struct_version<Uuid>(1), 2, {}};
  std::memcpy(bytes.bytes, uuid.bytes, sizeof bytes.bytes);
  EXPECT_EQ(call("nvmlDeviceGetHandleByUUIDV", &bytes, &found), kOk);
  bytes.bytes[0] ^= 1;
  EXPECT_EQ(call("nvmlDeviceGetHandleByUUIDV", &bytes, &found), Result::ERROR_NOT_FOUND);
}

TEST_F(Nvml, ItsPlaceOnTheBusIsThatOfTheDriver) {
  char place[32] = "";
  ASSERT_EQ(get("cuDeviceGetPCIBusId", &DriverTable::cuDeviceGetPCIBusId)(place, sizeof place, 0),
            CUDA_SUCCESS);
  Device* found = nullptr;
  EXPECT_EQ(call("nvmlDeviceGetHandleByPciBusId_v2", &place[0], &found), kOk);
  EXPECT_EQ(found, device_);
  EXPECT_EQ(call("nvmlDeviceGetHandleByPciBusId_v2", "0000:ff:00.0", &found),
            Result::ERROR_NOT_FOUND);
  EXPECT_EQ(call("nvmlDeviceGetHandleByPciBusId_v2", "no place", &found),
            Result::ERROR_INVALID_ARGUMENT);
  PciInfo info{};
  PciInfoExt more{.version = struct_version<PciInfoExt>(1)};
  EXPECT_EQ(call("nvmlDeviceGetPciInfo_v3", device_, &info), kOk);
  EXPECT_STREQ(info.bus_id, "00000000:01:00.0");
  EXPECT_STREQ(info.bus_id_legacy, place);
  EXPECT_EQ(call("nvmlDeviceGetPciInfoExt", device_, &more), kOk);
  EXPECT_STREQ(more.bus_id, info.bus_id);
}

TEST_F(Nvml, ItsMemoryIsThatOfTheDriver) {
  CUdeviceptr address = 0;
  ASSERT_EQ(get("cuMemAlloc_v2", &DriverTable::cuMemAlloc_v2)(&address, 1 << 20), CUDA_SUCCESS);
  std::size_t free = 0;
  std::size_t total = 0;
  ASSERT_EQ(get("cuMemGetInfo_v2", &DriverTable::cuMemGetInfo_v2)(&free, &total), CUDA_SUCCESS);
  Memory memory{};
  EXPECT_EQ(call("nvmlDeviceGetMemoryInfo", device_, &memory), kOk);
  EXPECT_EQ(memory.total, total);
  EXPECT_EQ(memory.free, free);
  EXPECT_GE(memory.used, 1U << 20);
  MemoryV2 more{.version = struct_version<MemoryV2>(2)};
  EXPECT_EQ(call("nvmlDeviceGetMemoryInfo_v2", device_, &more), kOk);
  EXPECT_EQ(more.free, free);
  more.version = 0;
  EXPECT_EQ(call("nvmlDeviceGetMemoryInfo_v2", device_, &more),
            Result::ERROR_ARGUMENT_VERSION_MISMATCH);
  EXPECT_EQ(get("cuMemFree_v2", &DriverTable::cuMemFree_v2)(address), CUDA_SUCCESS);
}

TEST_F(Nvml, NumbersAreThoseOfTheDevice) {
  const auto number = [this](const char* name) {
    unsigned answer = 99;
    EXPECT_EQ(call(name, device_, &answer), kOk) << name;
    return answer;
  };
  EXPECT_EQ(number("nvmlDeviceGetArchitecture"), 7U) << "Ampere, by nvml.h";
  EXPECT_EQ(number("nvmlDeviceGetIndex"), 0U);
  EXPECT_EQ(number("nvmlDeviceGetMinorNumber"), 0U);
  EXPECT_EQ(number("nvmlDeviceGetMultiGpuBoard"), 0U);
  int mode = 99;
  ASSERT_EQ(get("cuDeviceGetAttribute", &DriverTable::cuDeviceGetAttribute)(
                &mode, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(number("nvmlDeviceGetComputeMode"), static_cast<unsigned>(mode));
  unsigned units = 99;
  EXPECT_EQ(call("nvmlUnitGetCount", &units), kOk);
  EXPECT_EQ(units, 0U);
  PciInfoExt place{.version = struct_version<PciInfoExt>(1)};
  EXPECT_EQ(call("nvmlDeviceGetPciInfoExt", device_, &place), kOk);
  EXPECT_EQ(place.base_class, 3U) << "a display controller";
  EXPECT_EQ(place.sub_class, 2U) << "for three dimensions";
}

/// A driver for CUDA 13 is of 580 or later, and NVML says its own version as CUDA's and that.
TEST_F(Nvml, VersionsGoTogether) {
  char driver[80] = "";
  char own[80] = "";
  EXPECT_EQ(call("nvmlSystemGetDriverVersion", &driver[0], unsigned{sizeof driver}), kOk);
  EXPECT_EQ(call("nvmlSystemGetNVMLVersion", &own[0], unsigned{sizeof own}), kOk);
  EXPECT_GE(std::atoi(driver), 580);
  EXPECT_EQ(own, "13." + std::string(driver));
}

TEST_F(Nvml, ErrorsHaveDescriptions) {
  const auto describe = reinterpret_cast<const char* (*)(Result)>(dlsym(nvml_, "nvmlErrorString"));
  ASSERT_NE(describe, nullptr);
  EXPECT_STREQ(describe(kOk), "Success");
  EXPECT_STREQ(describe(Result::ERROR_UNINITIALIZED), "Uninitialized");
  EXPECT_STREQ(describe(Result::ERROR_INVALID_ARGUMENT), "Invalid Argument");
  EXPECT_STREQ(describe(Result::ERROR_NOT_SUPPORTED), "Not Supported");
  EXPECT_STREQ(describe(Result::ERROR_NOT_FOUND), "Not Found");
  EXPECT_STREQ(describe(Result::ERROR_INSUFFICIENT_SIZE), "Insufficient Size");
  EXPECT_STREQ(describe(Result::ERROR_ARGUMENT_VERSION_MISMATCH), "Argument Version Mismatch");
  EXPECT_STREQ(describe(Result::ERROR_UNKNOWN), "Unknown Error");
}

/// Each who initializes it shuts it down.
TEST_F(Nvml, IsThereUntilTheLastShutdown) {
  unsigned count = 0;
  ASSERT_EQ(call("nvmlInit_v2"), kOk);
  ASSERT_EQ(call("nvmlShutdown"), kOk);
  EXPECT_EQ(call("nvmlDeviceGetCount_v2", &count), kOk);
}

TEST_F(Nvml, WhatIsWrongIsAnError) {
  char name[4] = "";
  unsigned count = 0;
  EXPECT_EQ(call("nvmlDeviceGetName", device_, &name[0], 4U), Result::ERROR_INSUFFICIENT_SIZE);
  EXPECT_EQ(call("nvmlDeviceGetName", static_cast<Device*>(nullptr), &name[0], 4U),
            Result::ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(call("nvmlDeviceGetIndex", device_, static_cast<unsigned*>(nullptr)),
            Result::ERROR_INVALID_ARGUMENT);
  ASSERT_EQ(call("nvmlShutdown"), kOk);
  EXPECT_EQ(call("nvmlDeviceGetCount_v2", &count), Result::ERROR_UNINITIALIZED);
  EXPECT_EQ(call("nvmlShutdown"), Result::ERROR_UNINITIALIZED);
  ASSERT_EQ(call("nvmlInit"), kOk);
}

TEST_F(Nvml, WhatIsNotSimulatedSaysSoOnceAtTheEnd) {
  EXPECT_EXIT(
      {
        call("nvmlDeviceGetPowerUsage", device_);
        call("nvmlDeviceGetPowerUsage", device_);
        std::exit(call("nvmlDeviceGetTemperature", device_) == Result::ERROR_NOT_SUPPORTED ? 7 : 8);
      },
      ::testing::ExitedWithCode(7),
      "returned NVML_ERROR_NOT_SUPPORTED: nvmlDeviceGetPowerUsage \\(2\\), "
      "nvmlDeviceGetTemperature \\(1\\)\n");
}

}  // namespace
}  // namespace harness::nvml
