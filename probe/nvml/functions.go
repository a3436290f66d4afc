//go:build linux && cgo

package nvml

import "strings"

// fn names a function of the library that may be absent.
type fn int

const (
	fnInit fn = iota
	fnCountDevices
	fnHandle
	fnDriverVersion
	fnCUDAVersion
	fnName
	fnUUID
	fnPCIInfo
	fnPersistence
	fnComputeCap
	fnPowerLimit
	fnPowerDefault
	fnPowerConstraints
	fnMaxClock
	fnMaxPCIeGen
	fnMaxPCIeWidth
	fnTempThreshold
	fnMemory
	fnMemory2
	fnUtilization
	fnEncoder
	fnDecoder
	fnPower
	fnEnergy
	fnTemperature
	fnFan
	fnClock
	fnPState
	fnPCIeGen
	fnPCIeWidth
	fnPCIeThroughput
	fnNVLinkState
	fnFields
	fnEventReasons
	fnThrottleReasons
	fnECC
	fnRetired
	fnRemapped
	fnMIGMode
	fnMIGCount
	fnMIGHandle
	fnProcUtil
	fnSamples
	fnEventCreate
	fnEventRegister
	fnEventTypes
	fnEventWait
	fnCount
)

// symbols lists, per function, the names under which go-nvml calls it, newest
// first; one is enough. go-nvml binds the oldest name where none is present, so
// a function without any must not be called.
var symbols = [fnCount]string{
	fnInit:             "nvmlInit_v2 nvmlInit",
	fnCountDevices:     "nvmlDeviceGetCount_v2 nvmlDeviceGetCount",
	fnHandle:           "nvmlDeviceGetHandleByIndex_v2 nvmlDeviceGetHandleByIndex",
	fnDriverVersion:    "nvmlSystemGetDriverVersion",
	fnCUDAVersion:      "nvmlSystemGetCudaDriverVersion",
	fnName:             "nvmlDeviceGetName",
	fnUUID:             "nvmlDeviceGetUUID",
	fnPCIInfo:          "nvmlDeviceGetPciInfo_v3 nvmlDeviceGetPciInfo_v2 nvmlDeviceGetPciInfo",
	fnPersistence:      "nvmlDeviceGetPersistenceMode",
	fnComputeCap:       "nvmlDeviceGetCudaComputeCapability",
	fnPowerLimit:       "nvmlDeviceGetEnforcedPowerLimit",
	fnPowerDefault:     "nvmlDeviceGetPowerManagementDefaultLimit",
	fnPowerConstraints: "nvmlDeviceGetPowerManagementLimitConstraints",
	fnMaxClock:         "nvmlDeviceGetMaxClockInfo",
	fnMaxPCIeGen:       "nvmlDeviceGetMaxPcieLinkGeneration",
	fnMaxPCIeWidth:     "nvmlDeviceGetMaxPcieLinkWidth",
	fnTempThreshold:    "nvmlDeviceGetTemperatureThreshold",
	fnMemory:           "nvmlDeviceGetMemoryInfo",
	fnMemory2:          "nvmlDeviceGetMemoryInfo_v2",
	fnUtilization:      "nvmlDeviceGetUtilizationRates",
	fnEncoder:          "nvmlDeviceGetEncoderUtilization",
	fnDecoder:          "nvmlDeviceGetDecoderUtilization",
	fnPower:            "nvmlDeviceGetPowerUsage",
	fnEnergy:           "nvmlDeviceGetTotalEnergyConsumption",
	fnTemperature:      "nvmlDeviceGetTemperature",
	fnFan:              "nvmlDeviceGetFanSpeed",
	fnClock:            "nvmlDeviceGetClockInfo",
	fnPState:           "nvmlDeviceGetPerformanceState",
	fnPCIeGen:          "nvmlDeviceGetCurrPcieLinkGeneration",
	fnPCIeWidth:        "nvmlDeviceGetCurrPcieLinkWidth",
	fnPCIeThroughput:   "nvmlDeviceGetPcieThroughput",
	fnNVLinkState:      "nvmlDeviceGetNvLinkState",
	fnFields:           "nvmlDeviceGetFieldValues",
	fnEventReasons:     "nvmlDeviceGetCurrentClocksEventReasons",
	fnThrottleReasons:  "nvmlDeviceGetCurrentClocksThrottleReasons",
	fnECC:              "nvmlDeviceGetTotalEccErrors",
	fnRetired:          "nvmlDeviceGetRetiredPages",
	fnRemapped:         "nvmlDeviceGetRemappedRows",
	fnMIGMode:          "nvmlDeviceGetMigMode",
	fnMIGCount:         "nvmlDeviceGetMaxMigDeviceCount",
	fnMIGHandle:        "nvmlDeviceGetMigDeviceHandleByIndex",
	fnProcUtil:         "nvmlDeviceGetProcessUtilization",
	fnSamples:          "nvmlDeviceGetSamples",
	fnEventCreate:      "nvmlEventSetCreate",
	fnEventRegister:    "nvmlDeviceRegisterEvents",
	fnEventTypes:       "nvmlDeviceGetSupportedEventTypes",
	fnEventWait:        "nvmlEventSetWait_v2 nvmlEventSetWait",
}

func (f fn) names() []string { return strings.Fields(symbols[f]) }
