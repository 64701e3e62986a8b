"""The functions of `struct OrtApi`, in the order of ONNX Runtime's `onnxruntime_c_api.h`.

One row a slot: its index, the API version that brought it, and its C prototype (`enum` and
`struct` left out where C does not need them, arrays and a pointer to a function spelled as
pointers). Slots never move: the vtable only grows at its end, and a library older than a slot does
not have it.

Written by `tools/write_table.py` from the header.
"""

API_VERSION = 30
"""The API version of the header: the table has every slot up to it."""

TABLE = """
0    1  OrtStatus* CreateStatus(OrtErrorCode code, const char* msg);
1    1  OrtErrorCode GetErrorCode(const OrtStatus* status);
2    1  const char* GetErrorMessage(const OrtStatus* status);
3    1  OrtStatus* CreateEnv(OrtLoggingLevel log_severity_level, const char* logid, OrtEnv** out);
4    1  OrtStatus* CreateEnvWithCustomLogger(OrtLoggingFunction logging_function,
            void* logger_param, OrtLoggingLevel log_severity_level, const char* logid,
            OrtEnv** out);
5    1  OrtStatus* EnableTelemetryEvents(const OrtEnv* env);
6    1  OrtStatus* DisableTelemetryEvents(const OrtEnv* env);
7    1  OrtStatus* CreateSession(const OrtEnv* env, const ORTCHAR_T* model_path,
            const OrtSessionOptions* options, OrtSession** out);
8    1  OrtStatus* CreateSessionFromArray(const OrtEnv* env, const void* model_data,
            size_t model_data_length, const OrtSessionOptions* options, OrtSession** out);
9    1  OrtStatus* Run(OrtSession* session, const OrtRunOptions* run_options,
            const char* const* input_names, const OrtValue* const* inputs, size_t input_len,
            const char* const* output_names, size_t output_names_len, OrtValue** outputs);
10   1  OrtStatus* CreateSessionOptions(OrtSessionOptions** options);
11   1  OrtStatus* SetOptimizedModelFilePath(OrtSessionOptions* options,
            const ORTCHAR_T* optimized_model_filepath);
12   1  OrtStatus* CloneSessionOptions(const OrtSessionOptions* in_options,
            OrtSessionOptions** out_options);
13   1  OrtStatus* SetSessionExecutionMode(OrtSessionOptions* options,
            ExecutionMode execution_mode);
14   1  OrtStatus* EnableProfiling(OrtSessionOptions* options,
            const ORTCHAR_T* profile_file_prefix);
15   1  OrtStatus* DisableProfiling(OrtSessionOptions* options);
16   1  OrtStatus* EnableMemPattern(OrtSessionOptions* options);
17   1  OrtStatus* DisableMemPattern(OrtSessionOptions* options);
18   1  OrtStatus* EnableCpuMemArena(OrtSessionOptions* options);
19   1  OrtStatus* DisableCpuMemArena(OrtSessionOptions* options);
20   1  OrtStatus* SetSessionLogId(OrtSessionOptions* options, const char* logid);
21   1  OrtStatus* SetSessionLogVerbosityLevel(OrtSessionOptions* options,
            int session_log_verbosity_level);
22   1  OrtStatus* SetSessionLogSeverityLevel(OrtSessionOptions* options,
            int session_log_severity_level);
23   1  OrtStatus* SetSessionGraphOptimizationLevel(OrtSessionOptions* options,
            GraphOptimizationLevel graph_optimization_level);
24   1  OrtStatus* SetIntraOpNumThreads(OrtSessionOptions* options, int intra_op_num_threads);
25   1  OrtStatus* SetInterOpNumThreads(OrtSessionOptions* options, int inter_op_num_threads);
26   1  OrtStatus* CreateCustomOpDomain(const char* domain, OrtCustomOpDomain** out);
27   1  OrtStatus* CustomOpDomain_Add(OrtCustomOpDomain* custom_op_domain, const OrtCustomOp* op);
28   1  OrtStatus* AddCustomOpDomain(OrtSessionOptions* options,
            OrtCustomOpDomain* custom_op_domain);
29   1  OrtStatus* RegisterCustomOpsLibrary(OrtSessionOptions* options, const char* library_path,
            void** library_handle);
30   1  OrtStatus* SessionGetInputCount(const OrtSession* session, size_t* out);
31   1  OrtStatus* SessionGetOutputCount(const OrtSession* session, size_t* out);
32   1  OrtStatus* SessionGetOverridableInitializerCount(const OrtSession* session, size_t* out);
33   1  OrtStatus* SessionGetInputTypeInfo(const OrtSession* session, size_t index,
            OrtTypeInfo** type_info);
34   1  OrtStatus* SessionGetOutputTypeInfo(const OrtSession* session, size_t index,
            OrtTypeInfo** type_info);
35   1  OrtStatus* SessionGetOverridableInitializerTypeInfo(const OrtSession* session, size_t index,
            OrtTypeInfo** type_info);
36   1  OrtStatus* SessionGetInputName(const OrtSession* session, size_t index,
            OrtAllocator* allocator, char** value);
37   1  OrtStatus* SessionGetOutputName(const OrtSession* session, size_t index,
            OrtAllocator* allocator, char** value);
38   1  OrtStatus* SessionGetOverridableInitializerName(const OrtSession* session, size_t index,
            OrtAllocator* allocator, char** value);
39   1  OrtStatus* CreateRunOptions(OrtRunOptions** out);
40   1  OrtStatus* RunOptionsSetRunLogVerbosityLevel(OrtRunOptions* options,
            int log_verbosity_level);
41   1  OrtStatus* RunOptionsSetRunLogSeverityLevel(OrtRunOptions* options, int log_severity_level);
42   1  OrtStatus* RunOptionsSetRunTag(OrtRunOptions* options, const char* run_tag);
43   1  OrtStatus* RunOptionsGetRunLogVerbosityLevel(const OrtRunOptions* options,
            int* log_verbosity_level);
44   1  OrtStatus* RunOptionsGetRunLogSeverityLevel(const OrtRunOptions* options,
            int* log_severity_level);
45   1  OrtStatus* RunOptionsGetRunTag(const OrtRunOptions* options, const char** run_tag);
46   1  OrtStatus* RunOptionsSetTerminate(OrtRunOptions* options);
47   1  OrtStatus* RunOptionsUnsetTerminate(OrtRunOptions* options);
48   1  OrtStatus* CreateTensorAsOrtValue(OrtAllocator* allocator, const int64_t* shape,
            size_t shape_len, ONNXTensorElementDataType type, OrtValue** out);
49   1  OrtStatus* CreateTensorWithDataAsOrtValue(const OrtMemoryInfo* info, void* p_data,
            size_t p_data_len, const int64_t* shape, size_t shape_len,
            ONNXTensorElementDataType type, OrtValue** out);
50   1  OrtStatus* IsTensor(const OrtValue* value, int* out);
51   1  OrtStatus* GetTensorMutableData(OrtValue* value, void** out);
52   1  OrtStatus* FillStringTensor(OrtValue* value, const char* const* s, size_t s_len);
53   1  OrtStatus* GetStringTensorDataLength(const OrtValue* value, size_t* len);
54   1  OrtStatus* GetStringTensorContent(const OrtValue* value, void* s, size_t s_len,
            size_t* offsets, size_t offsets_len);
55   1  OrtStatus* CastTypeInfoToTensorInfo(const OrtTypeInfo* type_info,
            const OrtTensorTypeAndShapeInfo** out);
56   1  OrtStatus* GetOnnxTypeFromTypeInfo(const OrtTypeInfo* type_info, ONNXType* out);
57   1  OrtStatus* CreateTensorTypeAndShapeInfo(OrtTensorTypeAndShapeInfo** out);
58   1  OrtStatus* SetTensorElementType(OrtTensorTypeAndShapeInfo* info,
            ONNXTensorElementDataType type);
59   1  OrtStatus* SetDimensions(OrtTensorTypeAndShapeInfo* info, const int64_t* dim_values,
            size_t dim_count);
60   1  OrtStatus* GetTensorElementType(const OrtTensorTypeAndShapeInfo* info,
            ONNXTensorElementDataType* out);
61   1  OrtStatus* GetDimensionsCount(const OrtTensorTypeAndShapeInfo* info, size_t* out);
62   1  OrtStatus* GetDimensions(const OrtTensorTypeAndShapeInfo* info, int64_t* dim_values,
            size_t dim_values_length);
63   1  OrtStatus* GetSymbolicDimensions(const OrtTensorTypeAndShapeInfo* info,
            const char** dim_params, size_t dim_params_length);
64   1  OrtStatus* GetTensorShapeElementCount(const OrtTensorTypeAndShapeInfo* info, size_t* out);
65   1  OrtStatus* GetTensorTypeAndShape(const OrtValue* value, OrtTensorTypeAndShapeInfo** out);
66   1  OrtStatus* GetTypeInfo(const OrtValue* value, OrtTypeInfo** out);
67   1  OrtStatus* GetValueType(const OrtValue* value, ONNXType* out);
68   1  OrtStatus* CreateMemoryInfo(const char* name, OrtAllocatorType type, int id,
            OrtMemType mem_type, OrtMemoryInfo** out);
69   1  OrtStatus* CreateCpuMemoryInfo(OrtAllocatorType type, OrtMemType mem_type,
            OrtMemoryInfo** out);
70   1  OrtStatus* CompareMemoryInfo(const OrtMemoryInfo* info1, const OrtMemoryInfo* info2,
            int* out);
71   1  OrtStatus* MemoryInfoGetName(const OrtMemoryInfo* ptr, const char** out);
72   1  OrtStatus* MemoryInfoGetId(const OrtMemoryInfo* ptr, int* out);
73   1  OrtStatus* MemoryInfoGetMemType(const OrtMemoryInfo* ptr, OrtMemType* out);
74   1  OrtStatus* MemoryInfoGetType(const OrtMemoryInfo* ptr, OrtAllocatorType* out);
75   1  OrtStatus* AllocatorAlloc(OrtAllocator* ort_allocator, size_t size, void** out);
76   1  OrtStatus* AllocatorFree(OrtAllocator* ort_allocator, void* p);
77   1  OrtStatus* AllocatorGetInfo(const OrtAllocator* ort_allocator, const OrtMemoryInfo** out);
78   1  OrtStatus* GetAllocatorWithDefaultOptions(OrtAllocator** out);
79   1  OrtStatus* AddFreeDimensionOverride(OrtSessionOptions* options, const char* dim_denotation,
            int64_t dim_value);
80   1  OrtStatus* GetValue(const OrtValue* value, int index, OrtAllocator* allocator,
            OrtValue** out);
81   1  OrtStatus* GetValueCount(const OrtValue* value, size_t* out);
82   1  OrtStatus* CreateValue(const OrtValue* const* in, size_t num_values, ONNXType value_type,
            OrtValue** out);
83   1  OrtStatus* CreateOpaqueValue(const char* domain_name, const char* type_name,
            const void* data_container, size_t data_container_size, OrtValue** out);
84   1  OrtStatus* GetOpaqueValue(const char* domain_name, const char* type_name,
            const OrtValue* in, void* data_container, size_t data_container_size);
85   1  OrtStatus* KernelInfoGetAttribute_float(const OrtKernelInfo* info, const char* name,
            float* out);
86   1  OrtStatus* KernelInfoGetAttribute_int64(const OrtKernelInfo* info, const char* name,
            int64_t* out);
87   1  OrtStatus* KernelInfoGetAttribute_string(const OrtKernelInfo* info, const char* name,
            char* out, size_t* size);
88   1  OrtStatus* KernelContext_GetInputCount(const OrtKernelContext* context, size_t* out);
89   1  OrtStatus* KernelContext_GetOutputCount(const OrtKernelContext* context, size_t* out);
90   1  OrtStatus* KernelContext_GetInput(const OrtKernelContext* context, size_t index,
            const OrtValue** out);
91   1  OrtStatus* KernelContext_GetOutput(OrtKernelContext* context, size_t index,
            const int64_t* dim_values, size_t dim_count, OrtValue** out);
92   1  void ReleaseEnv(OrtEnv* input);
93   1  void ReleaseStatus(OrtStatus* input);
94   1  void ReleaseMemoryInfo(OrtMemoryInfo* input);
95   1  void ReleaseSession(OrtSession* input);
96   1  void ReleaseValue(OrtValue* input);
97   1  void ReleaseRunOptions(OrtRunOptions* input);
98   1  void ReleaseTypeInfo(OrtTypeInfo* input);
99   1  void ReleaseTensorTypeAndShapeInfo(OrtTensorTypeAndShapeInfo* input);
100  1  void ReleaseSessionOptions(OrtSessionOptions* input);
101  1  void ReleaseCustomOpDomain(OrtCustomOpDomain* input);
102  2  OrtStatus* GetDenotationFromTypeInfo(const OrtTypeInfo* type_info, const char** denotation,
            size_t* len);
103  2  OrtStatus* CastTypeInfoToMapTypeInfo(const OrtTypeInfo* type_info,
            const OrtMapTypeInfo** out);
104  2  OrtStatus* CastTypeInfoToSequenceTypeInfo(const OrtTypeInfo* type_info,
            const OrtSequenceTypeInfo** out);
105  2  OrtStatus* GetMapKeyType(const OrtMapTypeInfo* map_type_info,
            ONNXTensorElementDataType* out);
106  2  OrtStatus* GetMapValueType(const OrtMapTypeInfo* map_type_info, OrtTypeInfo** type_info);
107  2  OrtStatus* GetSequenceElementType(const OrtSequenceTypeInfo* sequence_type_info,
            OrtTypeInfo** type_info);
108  2  void ReleaseMapTypeInfo(OrtMapTypeInfo* input);
109  2  void ReleaseSequenceTypeInfo(OrtSequenceTypeInfo* input);
110  2  OrtStatus* SessionEndProfiling(OrtSession* session, OrtAllocator* allocator, char** out);
111  2  OrtStatus* SessionGetModelMetadata(const OrtSession* session, OrtModelMetadata** out);
112  2  OrtStatus* ModelMetadataGetProducerName(const OrtModelMetadata* model_metadata,
            OrtAllocator* allocator, char** value);
113  2  OrtStatus* ModelMetadataGetGraphName(const OrtModelMetadata* model_metadata,
            OrtAllocator* allocator, char** value);
114  2  OrtStatus* ModelMetadataGetDomain(const OrtModelMetadata* model_metadata,
            OrtAllocator* allocator, char** value);
115  2  OrtStatus* ModelMetadataGetDescription(const OrtModelMetadata* model_metadata,
            OrtAllocator* allocator, char** value);
116  2  OrtStatus* ModelMetadataLookupCustomMetadataMap(const OrtModelMetadata* model_metadata,
            OrtAllocator* allocator, const char* key, char** value);
117  2  OrtStatus* ModelMetadataGetVersion(const OrtModelMetadata* model_metadata, int64_t* value);
118  2  void ReleaseModelMetadata(OrtModelMetadata* input);
119  3  OrtStatus* CreateEnvWithGlobalThreadPools(OrtLoggingLevel log_severity_level,
            const char* logid, const OrtThreadingOptions* tp_options, OrtEnv** out);
120  3  OrtStatus* DisablePerSessionThreads(OrtSessionOptions* options);
121  3  OrtStatus* CreateThreadingOptions(OrtThreadingOptions** out);
122  3  void ReleaseThreadingOptions(OrtThreadingOptions* input);
123  3  OrtStatus* ModelMetadataGetCustomMetadataMapKeys(const OrtModelMetadata* model_metadata,
            OrtAllocator* allocator, char*** keys, int64_t* num_keys);
124  3  OrtStatus* AddFreeDimensionOverrideByName(OrtSessionOptions* options, const char* dim_name,
            int64_t dim_value);
125  4  OrtStatus* GetAvailableProviders(char*** out_ptr, int* provider_length);
126  4  OrtStatus* ReleaseAvailableProviders(char** ptr, int providers_length);
127  5  OrtStatus* GetStringTensorElementLength(const OrtValue* value, size_t index, size_t* out);
128  5  OrtStatus* GetStringTensorElement(const OrtValue* value, size_t s_len, size_t index,
            void* s);
129  5  OrtStatus* FillStringTensorElement(OrtValue* value, const char* s, size_t index);
130  5  OrtStatus* AddSessionConfigEntry(OrtSessionOptions* options, const char* config_key,
            const char* config_value);
131  5  OrtStatus* CreateAllocator(const OrtSession* session, const OrtMemoryInfo* mem_info,
            OrtAllocator** out);
132  5  void ReleaseAllocator(OrtAllocator* input);
133  5  OrtStatus* RunWithBinding(OrtSession* session, const OrtRunOptions* run_options,
            const OrtIoBinding* binding_ptr);
134  5  OrtStatus* CreateIoBinding(OrtSession* session, OrtIoBinding** out);
135  5  void ReleaseIoBinding(OrtIoBinding* input);
136  5  OrtStatus* BindInput(OrtIoBinding* binding_ptr, const char* name, const OrtValue* val_ptr);
137  5  OrtStatus* BindOutput(OrtIoBinding* binding_ptr, const char* name, const OrtValue* val_ptr);
138  5  OrtStatus* BindOutputToDevice(OrtIoBinding* binding_ptr, const char* name,
            const OrtMemoryInfo* mem_info_ptr);
139  5  OrtStatus* GetBoundOutputNames(const OrtIoBinding* binding_ptr, OrtAllocator* allocator,
            char** buffer, size_t** lengths, size_t* count);
140  5  OrtStatus* GetBoundOutputValues(const OrtIoBinding* binding_ptr, OrtAllocator* allocator,
            OrtValue*** output, size_t* output_count);
141  5  void ClearBoundInputs(OrtIoBinding* binding_ptr);
142  5  void ClearBoundOutputs(OrtIoBinding* binding_ptr);
143  5  OrtStatus* TensorAt(OrtValue* value, const int64_t* location_values,
            size_t location_values_count, void** out);
144  5  OrtStatus* CreateAndRegisterAllocator(OrtEnv* env, const OrtMemoryInfo* mem_info,
            const OrtArenaCfg* arena_cfg);
145  5  OrtStatus* SetLanguageProjection(const OrtEnv* ort_env, OrtLanguageProjection projection);
146  5  OrtStatus* SessionGetProfilingStartTimeNs(const OrtSession* session, uint64_t* out);
147  5  OrtStatus* SetGlobalIntraOpNumThreads(OrtThreadingOptions* tp_options,
            int intra_op_num_threads);
148  5  OrtStatus* SetGlobalInterOpNumThreads(OrtThreadingOptions* tp_options,
            int inter_op_num_threads);
149  5  OrtStatus* SetGlobalSpinControl(OrtThreadingOptions* tp_options, int allow_spinning);
150  6  OrtStatus* AddInitializer(OrtSessionOptions* options, const char* name,
            const OrtValue* val);
151  6  OrtStatus* CreateEnvWithCustomLoggerAndGlobalThreadPools(OrtLoggingFunction logging_function,
            void* logger_param, OrtLoggingLevel log_severity_level, const char* logid,
            const OrtThreadingOptions* tp_options, OrtEnv** out);
152  6  OrtStatus* SessionOptionsAppendExecutionProvider_CUDA(OrtSessionOptions* options,
            const OrtCUDAProviderOptions* cuda_options);
153  6  OrtStatus* SessionOptionsAppendExecutionProvider_ROCM(OrtSessionOptions* options,
            const OrtROCMProviderOptions* rocm_options);
154  6  OrtStatus* SessionOptionsAppendExecutionProvider_OpenVINO(OrtSessionOptions* options,
            const OrtOpenVINOProviderOptions* provider_options);
155  6  OrtStatus* SetGlobalDenormalAsZero(OrtThreadingOptions* tp_options);
156  6  OrtStatus* CreateArenaCfg(size_t max_mem, int arena_extend_strategy,
            int initial_chunk_size_bytes, int max_dead_bytes_per_chunk, OrtArenaCfg** out);
157  6  void ReleaseArenaCfg(OrtArenaCfg* input);
158  7  OrtStatus* ModelMetadataGetGraphDescription(const OrtModelMetadata* model_metadata,
            OrtAllocator* allocator, char** value);
159  7  OrtStatus* SessionOptionsAppendExecutionProvider_TensorRT(OrtSessionOptions* options,
            const OrtTensorRTProviderOptions* tensorrt_options);
160  7  OrtStatus* SetCurrentGpuDeviceId(int device_id);
161  7  OrtStatus* GetCurrentGpuDeviceId(int* device_id);
162  8  OrtStatus* KernelInfoGetAttributeArray_float(const OrtKernelInfo* info, const char* name,
            float* out, size_t* size);
163  8  OrtStatus* KernelInfoGetAttributeArray_int64(const OrtKernelInfo* info, const char* name,
            int64_t* out, size_t* size);
164  8  OrtStatus* CreateArenaCfgV2(const char* const* arena_config_keys,
            const size_t* arena_config_values, size_t num_keys, OrtArenaCfg** out);
165  8  OrtStatus* AddRunConfigEntry(OrtRunOptions* options, const char* config_key,
            const char* config_value);
166  8  OrtStatus* CreatePrepackedWeightsContainer(OrtPrepackedWeightsContainer** out);
167  8  void ReleasePrepackedWeightsContainer(OrtPrepackedWeightsContainer* input);
168  8  OrtStatus* CreateSessionWithPrepackedWeightsContainer(const OrtEnv* env,
            const ORTCHAR_T* model_path, const OrtSessionOptions* options,
            OrtPrepackedWeightsContainer* prepacked_weights_container, OrtSession** out);
169  8  OrtStatus* CreateSessionFromArrayWithPrepackedWeightsContainer(const OrtEnv* env,
            const void* model_data, size_t model_data_length, const OrtSessionOptions* options,
            OrtPrepackedWeightsContainer* prepacked_weights_container, OrtSession** out);
170  9  OrtStatus* SessionOptionsAppendExecutionProvider_TensorRT_V2(OrtSessionOptions* options,
            const OrtTensorRTProviderOptionsV2* tensorrt_options);
171  9  OrtStatus* CreateTensorRTProviderOptions(OrtTensorRTProviderOptionsV2** out);
172  9  OrtStatus* UpdateTensorRTProviderOptions(OrtTensorRTProviderOptionsV2* tensorrt_options,
            const char* const* provider_options_keys, const char* const* provider_options_values,
            size_t num_keys);
173  9  OrtStatus* GetTensorRTProviderOptionsAsString(const OrtTensorRTProviderOptionsV2* tensorrt_options,
            OrtAllocator* allocator, char** ptr);
174  9  void ReleaseTensorRTProviderOptions(OrtTensorRTProviderOptionsV2* input);
175  9  OrtStatus* EnableOrtCustomOps(OrtSessionOptions* options);
176  9  OrtStatus* RegisterAllocator(OrtEnv* env, OrtAllocator* allocator);
177  9  OrtStatus* UnregisterAllocator(OrtEnv* env, const OrtMemoryInfo* mem_info);
178  9  OrtStatus* IsSparseTensor(const OrtValue* value, int* out);
179  9  OrtStatus* CreateSparseTensorAsOrtValue(OrtAllocator* allocator, const int64_t* dense_shape,
            size_t dense_shape_len, ONNXTensorElementDataType type, OrtValue** out);
180  9  OrtStatus* FillSparseTensorCoo(OrtValue* ort_value, const OrtMemoryInfo* data_mem_info,
            const int64_t* values_shape, size_t values_shape_len, const void* values,
            const int64_t* indices_data, size_t indices_num);
181  9  OrtStatus* FillSparseTensorCsr(OrtValue* ort_value, const OrtMemoryInfo* data_mem_info,
            const int64_t* values_shape, size_t values_shape_len, const void* values,
            const int64_t* inner_indices_data, size_t inner_indices_num,
            const int64_t* outer_indices_data, size_t outer_indices_num);
182  9  OrtStatus* FillSparseTensorBlockSparse(OrtValue* ort_value,
            const OrtMemoryInfo* data_mem_info, const int64_t* values_shape,
            size_t values_shape_len, const void* values, const int64_t* indices_shape_data,
            size_t indices_shape_len, const int32_t* indices_data);
183  9  OrtStatus* CreateSparseTensorWithValuesAsOrtValue(const OrtMemoryInfo* info, void* p_data,
            const int64_t* dense_shape, size_t dense_shape_len, const int64_t* values_shape,
            size_t values_shape_len, ONNXTensorElementDataType type, OrtValue** out);
184  9  OrtStatus* UseCooIndices(OrtValue* ort_value, int64_t* indices_data, size_t indices_num);
185  9  OrtStatus* UseCsrIndices(OrtValue* ort_value, int64_t* inner_data, size_t inner_num,
            int64_t* outer_data, size_t outer_num);
186  9  OrtStatus* UseBlockSparseIndices(OrtValue* ort_value, const int64_t* indices_shape,
            size_t indices_shape_len, int32_t* indices_data);
187  9  OrtStatus* GetSparseTensorFormat(const OrtValue* ort_value, OrtSparseFormat* out);
188  9  OrtStatus* GetSparseTensorValuesTypeAndShape(const OrtValue* ort_value,
            OrtTensorTypeAndShapeInfo** out);
189  9  OrtStatus* GetSparseTensorValues(const OrtValue* ort_value, const void** out);
190  9  OrtStatus* GetSparseTensorIndicesTypeShape(const OrtValue* ort_value,
            enum OrtSparseIndicesFormat indices_format, OrtTensorTypeAndShapeInfo** out);
191  9  OrtStatus* GetSparseTensorIndices(const OrtValue* ort_value,
            enum OrtSparseIndicesFormat indices_format, size_t* num_indices, const void** indices);
192  10 OrtStatus* HasValue(const OrtValue* value, int* out);
193  10 OrtStatus* KernelContext_GetGPUComputeStream(const OrtKernelContext* context, void** out);
194  10 OrtStatus* GetTensorMemoryInfo(const OrtValue* value, const OrtMemoryInfo** mem_info);
195  10 OrtStatus* GetExecutionProviderApi(const char* provider_name, uint32_t version,
            const void** provider_api);
196  10 OrtStatus* SessionOptionsSetCustomCreateThreadFn(OrtSessionOptions* options,
            OrtCustomCreateThreadFn ort_custom_create_thread_fn);
197  10 OrtStatus* SessionOptionsSetCustomThreadCreationOptions(OrtSessionOptions* options,
            void* ort_custom_thread_creation_options);
198  10 OrtStatus* SessionOptionsSetCustomJoinThreadFn(OrtSessionOptions* options,
            OrtCustomJoinThreadFn ort_custom_join_thread_fn);
199  10 OrtStatus* SetGlobalCustomCreateThreadFn(OrtThreadingOptions* tp_options,
            OrtCustomCreateThreadFn ort_custom_create_thread_fn);
200  10 OrtStatus* SetGlobalCustomThreadCreationOptions(OrtThreadingOptions* tp_options,
            void* ort_custom_thread_creation_options);
201  10 OrtStatus* SetGlobalCustomJoinThreadFn(OrtThreadingOptions* tp_options,
            OrtCustomJoinThreadFn ort_custom_join_thread_fn);
202  10 OrtStatus* SynchronizeBoundInputs(OrtIoBinding* binding_ptr);
203  10 OrtStatus* SynchronizeBoundOutputs(OrtIoBinding* binding_ptr);
204  11 OrtStatus* SessionOptionsAppendExecutionProvider_CUDA_V2(OrtSessionOptions* options,
            const OrtCUDAProviderOptionsV2* cuda_options);
205  11 OrtStatus* CreateCUDAProviderOptions(OrtCUDAProviderOptionsV2** out);
206  11 OrtStatus* UpdateCUDAProviderOptions(OrtCUDAProviderOptionsV2* cuda_options,
            const char* const* provider_options_keys, const char* const* provider_options_values,
            size_t num_keys);
207  11 OrtStatus* GetCUDAProviderOptionsAsString(const OrtCUDAProviderOptionsV2* cuda_options,
            OrtAllocator* allocator, char** ptr);
208  11 void ReleaseCUDAProviderOptions(OrtCUDAProviderOptionsV2* input);
209  11 OrtStatus* SessionOptionsAppendExecutionProvider_MIGraphX(OrtSessionOptions* options,
            const OrtMIGraphXProviderOptions* migraphx_options);
210  12 OrtStatus* AddExternalInitializers(OrtSessionOptions* options,
            const char* const* initializer_names, const OrtValue* const* initializers,
            size_t num_initializers);
211  12 OrtStatus* CreateOpAttr(const char* name, const void* data, int len, OrtOpAttrType type,
            OrtOpAttr** op_attr);
212  12 void ReleaseOpAttr(OrtOpAttr* input);
213  12 OrtStatus* CreateOp(const OrtKernelInfo* info, const char* op_name, const char* domain,
            int version, const char** type_constraint_names,
            const ONNXTensorElementDataType* type_constraint_values, int type_constraint_count,
            const OrtOpAttr* const* attr_values, int attr_count, int input_count, int output_count,
            OrtOp** ort_op);
214  12 OrtStatus* InvokeOp(const OrtKernelContext* context, const OrtOp* ort_op,
            const OrtValue* const* input_values, int input_count, OrtValue* const* output_values,
            int output_count);
215  12 void ReleaseOp(OrtOp* input);
216  12 OrtStatus* SessionOptionsAppendExecutionProvider(OrtSessionOptions* options,
            const char* provider_name, const char* const* provider_options_keys,
            const char* const* provider_options_values, size_t num_keys);
217  12 OrtStatus* CopyKernelInfo(const OrtKernelInfo* info, OrtKernelInfo** info_copy);
218  12 void ReleaseKernelInfo(OrtKernelInfo* input);
219  13 const OrtTrainingApi* GetTrainingApi(uint32_t version);
220  13 OrtStatus* SessionOptionsAppendExecutionProvider_CANN(OrtSessionOptions* options,
            const OrtCANNProviderOptions* cann_options);
221  13 OrtStatus* CreateCANNProviderOptions(OrtCANNProviderOptions** out);
222  13 OrtStatus* UpdateCANNProviderOptions(OrtCANNProviderOptions* cann_options,
            const char* const* provider_options_keys, const char* const* provider_options_values,
            size_t num_keys);
223  13 OrtStatus* GetCANNProviderOptionsAsString(const OrtCANNProviderOptions* cann_options,
            OrtAllocator* allocator, char** ptr);
224  13 void ReleaseCANNProviderOptions(OrtCANNProviderOptions* input);
225  14 void MemoryInfoGetDeviceType(const OrtMemoryInfo* ptr, OrtMemoryInfoDeviceType* out);
226  14 OrtStatus* UpdateEnvWithCustomLogLevel(OrtEnv* ort_env, OrtLoggingLevel log_severity_level);
227  14 OrtStatus* SetGlobalIntraOpThreadAffinity(OrtThreadingOptions* tp_options,
            const char* affinity_string);
228  14 OrtStatus* RegisterCustomOpsLibrary_V2(OrtSessionOptions* options,
            const ORTCHAR_T* library_name);
229  14 OrtStatus* RegisterCustomOpsUsingFunction(OrtSessionOptions* options,
            const char* registration_func_name);
230  14 OrtStatus* KernelInfo_GetInputCount(const OrtKernelInfo* info, size_t* out);
231  14 OrtStatus* KernelInfo_GetOutputCount(const OrtKernelInfo* info, size_t* out);
232  14 OrtStatus* KernelInfo_GetInputName(const OrtKernelInfo* info, size_t index, char* out,
            size_t* size);
233  14 OrtStatus* KernelInfo_GetOutputName(const OrtKernelInfo* info, size_t index, char* out,
            size_t* size);
234  14 OrtStatus* KernelInfo_GetInputTypeInfo(const OrtKernelInfo* info, size_t index,
            OrtTypeInfo** type_info);
235  14 OrtStatus* KernelInfo_GetOutputTypeInfo(const OrtKernelInfo* info, size_t index,
            OrtTypeInfo** type_info);
236  14 OrtStatus* KernelInfoGetAttribute_tensor(const OrtKernelInfo* info, const char* name,
            OrtAllocator* allocator, OrtValue** out);
237  14 OrtStatus* HasSessionConfigEntry(const OrtSessionOptions* options, const char* config_key,
            int* out);
238  14 OrtStatus* GetSessionConfigEntry(const OrtSessionOptions* options, const char* config_key,
            char* config_value, size_t* size);
239  15 OrtStatus* SessionOptionsAppendExecutionProvider_Dnnl(OrtSessionOptions* options,
            const OrtDnnlProviderOptions* dnnl_options);
240  15 OrtStatus* CreateDnnlProviderOptions(OrtDnnlProviderOptions** out);
241  15 OrtStatus* UpdateDnnlProviderOptions(OrtDnnlProviderOptions* dnnl_options,
            const char* const* provider_options_keys, const char* const* provider_options_values,
            size_t num_keys);
242  15 OrtStatus* GetDnnlProviderOptionsAsString(const OrtDnnlProviderOptions* dnnl_options,
            OrtAllocator* allocator, char** ptr);
243  15 void ReleaseDnnlProviderOptions(OrtDnnlProviderOptions* input);
244  15 OrtStatus* KernelInfo_GetNodeName(const OrtKernelInfo* info, char* out, size_t* size);
245  15 OrtStatus* KernelInfo_GetLogger(const OrtKernelInfo* info, const OrtLogger** logger);
246  15 OrtStatus* KernelContext_GetLogger(const OrtKernelContext* context,
            const OrtLogger** logger);
247  15 OrtStatus* Logger_LogMessage(const OrtLogger* logger, OrtLoggingLevel log_severity_level,
            const char* message, const ORTCHAR_T* file_path, int line_number,
            const char* func_name);
248  15 OrtStatus* Logger_GetLoggingSeverityLevel(const OrtLogger* logger, OrtLoggingLevel* out);
249  15 OrtStatus* KernelInfoGetConstantInput_tensor(const OrtKernelInfo* info, size_t index,
            int* is_constant, const OrtValue** out);
250  15 OrtStatus* CastTypeInfoToOptionalTypeInfo(const OrtTypeInfo* type_info,
            const OrtOptionalTypeInfo** out);
251  15 OrtStatus* GetOptionalContainedTypeInfo(const OrtOptionalTypeInfo* optional_type_info,
            OrtTypeInfo** out);
252  15 OrtStatus* GetResizedStringTensorElementBuffer(OrtValue* value, size_t index,
            size_t length_in_bytes, char** buffer);
253  15 OrtStatus* KernelContext_GetAllocator(const OrtKernelContext* context,
            const OrtMemoryInfo* mem_info, OrtAllocator** out);
254  15 const char* GetBuildInfoString();
255  16 OrtStatus* CreateROCMProviderOptions(OrtROCMProviderOptions** out);
256  16 OrtStatus* UpdateROCMProviderOptions(OrtROCMProviderOptions* rocm_options,
            const char* const* provider_options_keys, const char* const* provider_options_values,
            size_t num_keys);
257  16 OrtStatus* GetROCMProviderOptionsAsString(const OrtROCMProviderOptions* rocm_options,
            OrtAllocator* allocator, char** ptr);
258  16 void ReleaseROCMProviderOptions(OrtROCMProviderOptions* input);
259  16 OrtStatus* CreateAndRegisterAllocatorV2(OrtEnv* env, const char* provider_type,
            const OrtMemoryInfo* mem_info, const OrtArenaCfg* arena_cfg,
            const char* const* provider_options_keys, const char* const* provider_options_values,
            size_t num_keys);
260  16 OrtStatus* RunAsync(OrtSession* session, const OrtRunOptions* run_options,
            const char* const* input_names, const OrtValue* const* input, size_t input_len,
            const char* const* output_names, size_t output_names_len, OrtValue** output,
            RunAsyncCallbackFn run_async_callback, void* user_data);
261  16 OrtStatus* UpdateTensorRTProviderOptionsWithValue(OrtTensorRTProviderOptionsV2* tensorrt_options,
            const char* key, void* value);
262  16 OrtStatus* GetTensorRTProviderOptionsByName(const OrtTensorRTProviderOptionsV2* tensorrt_options,
            const char* key, void** ptr);
263  16 OrtStatus* UpdateCUDAProviderOptionsWithValue(OrtCUDAProviderOptionsV2* cuda_options,
            const char* key, void* value);
264  16 OrtStatus* GetCUDAProviderOptionsByName(const OrtCUDAProviderOptionsV2* cuda_options,
            const char* key, void** ptr);
265  16 OrtStatus* KernelContext_GetResource(const OrtKernelContext* context, int resource_version,
            int resource_id, void** resource);
266  17 OrtStatus* SetUserLoggingFunction(OrtSessionOptions* options,
            OrtLoggingFunction user_logging_function, void* user_logging_param);
267  17 OrtStatus* ShapeInferContext_GetInputCount(const OrtShapeInferContext* context,
            size_t* out);
268  17 OrtStatus* ShapeInferContext_GetInputTypeShape(const OrtShapeInferContext* context,
            size_t index, OrtTensorTypeAndShapeInfo** info);
269  17 OrtStatus* ShapeInferContext_GetAttribute(const OrtShapeInferContext* context,
            const char* attr_name, const OrtOpAttr** attr);
270  17 OrtStatus* ShapeInferContext_SetOutputTypeShape(const OrtShapeInferContext* context,
            size_t index, const OrtTensorTypeAndShapeInfo* info);
271  17 OrtStatus* SetSymbolicDimensions(OrtTensorTypeAndShapeInfo* info, const char** dim_params,
            size_t dim_params_length);
272  17 OrtStatus* ReadOpAttr(const OrtOpAttr* op_attr, OrtOpAttrType type, void* data, size_t len,
            size_t* out);
273  17 OrtStatus* SetDeterministicCompute(OrtSessionOptions* options, bool value);
274  17 OrtStatus* KernelContext_ParallelFor(const OrtKernelContext* context, void* fn,
            size_t total, size_t num_batch, void* usr_data);
275  17 OrtStatus* SessionOptionsAppendExecutionProvider_OpenVINO_V2(OrtSessionOptions* options,
            const char* const* provider_options_keys, const char* const* provider_options_values,
            size_t num_keys);
276  18 OrtStatus* SessionOptionsAppendExecutionProvider_VitisAI(OrtSessionOptions* options,
            const char* const* provider_options_keys, const char* const* provider_options_values,
            size_t num_keys);
277  18 OrtStatus* KernelContext_GetScratchBuffer(const OrtKernelContext* context,
            const OrtMemoryInfo* mem_info, size_t count_or_bytes, void** out);
278  18 OrtStatus* KernelInfoGetAllocator(const OrtKernelInfo* info, OrtMemType mem_type,
            OrtAllocator** out);
279  18 OrtStatus* AddExternalInitializersFromFilesInMemory(OrtSessionOptions* options,
            const ORTCHAR_T* const* external_initializer_file_names,
            char* const* external_initializer_file_buffer_array,
            const size_t* external_initializer_file_lengths, size_t num_external_initializer_files);
280  20 OrtStatus* CreateLoraAdapter(const ORTCHAR_T* adapter_file_path, OrtAllocator* allocator,
            OrtLoraAdapter** out);
281  20 OrtStatus* CreateLoraAdapterFromArray(const void* bytes, size_t num_bytes,
            OrtAllocator* allocator, OrtLoraAdapter** out);
282  20 void ReleaseLoraAdapter(OrtLoraAdapter* input);
283  20 OrtStatus* RunOptionsAddActiveLoraAdapter(OrtRunOptions* options,
            const OrtLoraAdapter* adapter);
284  20 OrtStatus* SetEpDynamicOptions(OrtSession* sess, const char* const* keys,
            const char* const* values, size_t kv_len);
285  22 void ReleaseValueInfo(OrtValueInfo* input);
286  22 void ReleaseNode(OrtNode* input);
287  22 void ReleaseGraph(OrtGraph* input);
288  22 void ReleaseModel(OrtModel* input);
289  22 OrtStatus* GetValueInfoName(const OrtValueInfo* value_info, const char** name);
290  22 OrtStatus* GetValueInfoTypeInfo(const OrtValueInfo* value_info,
            const OrtTypeInfo** type_info);
291  22 const OrtModelEditorApi* GetModelEditorApi();
292  22 OrtStatus* CreateTensorWithDataAndDeleterAsOrtValue(OrtAllocator* deleter, void* p_data,
            size_t p_data_len, const int64_t* shape, size_t shape_len,
            ONNXTensorElementDataType type, OrtValue** out);
293  22 OrtStatus* SessionOptionsSetLoadCancellationFlag(OrtSessionOptions* options, bool cancel);
294  22 const OrtCompileApi* GetCompileApi();
295  22 void CreateKeyValuePairs(OrtKeyValuePairs** out);
296  22 void AddKeyValuePair(OrtKeyValuePairs* kvps, const char* key, const char* value);
297  22 const char* GetKeyValue(const OrtKeyValuePairs* kvps, const char* key);
298  22 void GetKeyValuePairs(const OrtKeyValuePairs* kvps, const char* const** keys,
            const char* const** values, size_t* num_entries);
299  22 void RemoveKeyValuePair(OrtKeyValuePairs* kvps, const char* key);
300  22 void ReleaseKeyValuePairs(OrtKeyValuePairs* input);
301  22 OrtStatus* RegisterExecutionProviderLibrary(OrtEnv* env, const char* registration_name,
            const ORTCHAR_T* path);
302  22 OrtStatus* UnregisterExecutionProviderLibrary(OrtEnv* env, const char* registration_name);
303  22 OrtStatus* GetEpDevices(const OrtEnv* env, const OrtEpDevice* const** ep_devices,
            size_t* num_ep_devices);
304  22 OrtStatus* SessionOptionsAppendExecutionProvider_V2(OrtSessionOptions* session_options,
            OrtEnv* env, const OrtEpDevice* const* ep_devices, size_t num_ep_devices,
            const char* const* ep_option_keys, const char* const* ep_option_vals,
            size_t num_ep_options);
305  22 OrtStatus* SessionOptionsSetEpSelectionPolicy(OrtSessionOptions* session_options,
            OrtExecutionProviderDevicePolicy policy);
306  22 OrtStatus* SessionOptionsSetEpSelectionPolicyDelegate(OrtSessionOptions* session_options,
            EpSelectionDelegate delegate, void* delegate_state);
307  22 OrtHardwareDeviceType HardwareDevice_Type(const OrtHardwareDevice* device);
308  22 uint32_t HardwareDevice_VendorId(const OrtHardwareDevice* device);
309  22 const char* HardwareDevice_Vendor(const OrtHardwareDevice* device);
310  22 uint32_t HardwareDevice_DeviceId(const OrtHardwareDevice* device);
311  22 const OrtKeyValuePairs* HardwareDevice_Metadata(const OrtHardwareDevice* device);
312  22 const char* EpDevice_EpName(const OrtEpDevice* ep_device);
313  22 const char* EpDevice_EpVendor(const OrtEpDevice* ep_device);
314  22 const OrtKeyValuePairs* EpDevice_EpMetadata(const OrtEpDevice* ep_device);
315  22 const OrtKeyValuePairs* EpDevice_EpOptions(const OrtEpDevice* ep_device);
316  22 const OrtHardwareDevice* EpDevice_Device(const OrtEpDevice* ep_device);
317  22 const OrtEpApi* GetEpApi();
318  23 OrtStatus* GetTensorSizeInBytes(const OrtValue* ort_value, size_t* size);
319  23 OrtStatus* AllocatorGetStats(const OrtAllocator* ort_allocator, OrtKeyValuePairs** out);
320  23 OrtStatus* CreateMemoryInfo_V2(const char* name, OrtMemoryInfoDeviceType device_type,
            uint32_t vendor_id, int32_t device_id, OrtDeviceMemoryType mem_type, size_t alignment,
            OrtAllocatorType allocator_type, OrtMemoryInfo** out);
321  23 OrtDeviceMemoryType MemoryInfoGetDeviceMemType(const OrtMemoryInfo* ptr);
322  23 uint32_t MemoryInfoGetVendorId(const OrtMemoryInfo* ptr);
323  23 OrtStatus* ValueInfo_GetValueProducer(const OrtValueInfo* value_info,
            const OrtNode** producer_node, size_t* producer_output_index);
324  23 OrtStatus* ValueInfo_GetValueNumConsumers(const OrtValueInfo* value_info,
            size_t* num_consumers);
325  23 OrtStatus* ValueInfo_GetValueConsumers(const OrtValueInfo* value_info,
            const OrtNode** nodes, int64_t* input_indices, size_t num_consumers);
326  23 OrtStatus* ValueInfo_GetInitializerValue(const OrtValueInfo* value_info,
            const OrtValue** initializer_value);
327  23 OrtStatus* ValueInfo_GetExternalInitializerInfo(const OrtValueInfo* value_info,
            OrtExternalInitializerInfo** info);
328  23 OrtStatus* ValueInfo_IsRequiredGraphInput(const OrtValueInfo* value_info,
            bool* is_required_graph_input);
329  23 OrtStatus* ValueInfo_IsOptionalGraphInput(const OrtValueInfo* value_info,
            bool* is_optional_graph_input);
330  23 OrtStatus* ValueInfo_IsGraphOutput(const OrtValueInfo* value_info, bool* is_graph_output);
331  23 OrtStatus* ValueInfo_IsConstantInitializer(const OrtValueInfo* value_info,
            bool* is_constant_initializer);
332  23 OrtStatus* ValueInfo_IsFromOuterScope(const OrtValueInfo* value_info,
            bool* is_from_outer_scope);
333  23 OrtStatus* Graph_GetName(const OrtGraph* graph, const char** graph_name);
334  23 OrtStatus* Graph_GetModelPath(const OrtGraph* graph, const ORTCHAR_T** model_path);
335  23 OrtStatus* Graph_GetOnnxIRVersion(const OrtGraph* graph, int64_t* onnx_ir_version);
336  23 OrtStatus* Graph_GetNumOperatorSets(const OrtGraph* graph, size_t* num_operator_sets);
337  23 OrtStatus* Graph_GetOperatorSets(const OrtGraph* graph, const char** domains,
            int64_t* opset_versions, size_t num_operator_sets);
338  23 OrtStatus* Graph_GetNumInputs(const OrtGraph* graph, size_t* num_inputs);
339  23 OrtStatus* Graph_GetInputs(const OrtGraph* graph, const OrtValueInfo** inputs,
            size_t num_inputs);
340  23 OrtStatus* Graph_GetNumOutputs(const OrtGraph* graph, size_t* num_outputs);
341  23 OrtStatus* Graph_GetOutputs(const OrtGraph* graph, const OrtValueInfo** outputs,
            size_t num_outputs);
342  23 OrtStatus* Graph_GetNumInitializers(const OrtGraph* graph, size_t* num_initializers);
343  23 OrtStatus* Graph_GetInitializers(const OrtGraph* graph, const OrtValueInfo** initializers,
            size_t num_initializers);
344  23 OrtStatus* Graph_GetNumNodes(const OrtGraph* graph, size_t* num_nodes);
345  23 OrtStatus* Graph_GetNodes(const OrtGraph* graph, const OrtNode** nodes, size_t num_nodes);
346  23 OrtStatus* Graph_GetParentNode(const OrtGraph* graph, const OrtNode** node);
347  23 OrtStatus* Graph_GetGraphView(const OrtGraph* src_graph, const OrtNode** nodes,
            size_t num_nodes, OrtGraph** dst_graph);
348  23 OrtStatus* Node_GetId(const OrtNode* node, size_t* node_id);
349  23 OrtStatus* Node_GetName(const OrtNode* node, const char** node_name);
350  23 OrtStatus* Node_GetOperatorType(const OrtNode* node, const char** operator_type);
351  23 OrtStatus* Node_GetDomain(const OrtNode* node, const char** domain_name);
352  23 OrtStatus* Node_GetSinceVersion(const OrtNode* node, int* since_version);
353  23 OrtStatus* Node_GetNumInputs(const OrtNode* node, size_t* num_inputs);
354  23 OrtStatus* Node_GetInputs(const OrtNode* node, const OrtValueInfo** inputs,
            size_t num_inputs);
355  23 OrtStatus* Node_GetNumOutputs(const OrtNode* node, size_t* num_outputs);
356  23 OrtStatus* Node_GetOutputs(const OrtNode* node, const OrtValueInfo** outputs,
            size_t num_outputs);
357  23 OrtStatus* Node_GetNumImplicitInputs(const OrtNode* node, size_t* num_implicit_inputs);
358  23 OrtStatus* Node_GetImplicitInputs(const OrtNode* node, const OrtValueInfo** implicit_inputs,
            size_t num_implicit_inputs);
359  23 OrtStatus* Node_GetNumAttributes(const OrtNode* node, size_t* num_attributes);
360  23 OrtStatus* Node_GetAttributes(const OrtNode* node, const OrtOpAttr** attributes,
            size_t num_attributes);
361  23 OrtStatus* Node_GetAttributeByName(const OrtNode* node, const char* attribute_name,
            const OrtOpAttr** attribute);
362  23 OrtStatus* OpAttr_GetTensorAttributeAsOrtValue(const OrtOpAttr* attribute,
            OrtValue** attr_tensor);
363  23 OrtStatus* OpAttr_GetType(const OrtOpAttr* attribute, OrtOpAttrType* type);
364  23 OrtStatus* OpAttr_GetName(const OrtOpAttr* attribute, const char** name);
365  23 OrtStatus* Node_GetNumSubgraphs(const OrtNode* node, size_t* num_subgraphs);
366  23 OrtStatus* Node_GetSubgraphs(const OrtNode* node, const OrtGraph** subgraphs,
            size_t num_subgraphs, const char** attribute_names);
367  23 OrtStatus* Node_GetGraph(const OrtNode* node, const OrtGraph** graph);
368  23 OrtStatus* Node_GetEpName(const OrtNode* node, const char** out);
369  23 void ReleaseExternalInitializerInfo(OrtExternalInitializerInfo* input);
370  23 const ORTCHAR_T* ExternalInitializerInfo_GetFilePath(const OrtExternalInitializerInfo* info);
371  23 int64_t ExternalInitializerInfo_GetFileOffset(const OrtExternalInitializerInfo* info);
372  23 size_t ExternalInitializerInfo_GetByteSize(const OrtExternalInitializerInfo* info);
373  23 const char* GetRunConfigEntry(const OrtRunOptions* options, const char* config_key);
374  23 const OrtMemoryInfo* EpDevice_MemoryInfo(const OrtEpDevice* ep_device,
            OrtDeviceMemoryType memory_type);
375  23 OrtStatus* CreateSharedAllocator(OrtEnv* env, const OrtEpDevice* ep_device,
            OrtDeviceMemoryType mem_type, OrtAllocatorType allocator_type,
            const OrtKeyValuePairs* allocator_options, OrtAllocator** allocator);
376  23 OrtStatus* GetSharedAllocator(OrtEnv* env, const OrtMemoryInfo* mem_info,
            OrtAllocator** allocator);
377  23 OrtStatus* ReleaseSharedAllocator(OrtEnv* env, const OrtEpDevice* ep_device,
            OrtDeviceMemoryType mem_type);
378  23 OrtStatus* GetTensorData(const OrtValue* value, const void** out);
379  23 OrtStatus* GetSessionOptionsConfigEntries(const OrtSessionOptions* options,
            OrtKeyValuePairs** out);
380  23 OrtStatus* SessionGetMemoryInfoForInputs(const OrtSession* session,
            const OrtMemoryInfo** inputs_memory_info, size_t num_inputs);
381  23 OrtStatus* SessionGetMemoryInfoForOutputs(const OrtSession* session,
            const OrtMemoryInfo** outputs_memory_info, size_t num_outputs);
382  23 OrtStatus* SessionGetEpDeviceForInputs(const OrtSession* session,
            const OrtEpDevice** inputs_ep_devices, size_t num_inputs);
383  23 OrtStatus* CreateSyncStreamForEpDevice(const OrtEpDevice* ep_device,
            const OrtKeyValuePairs* stream_options, OrtSyncStream** stream);
384  23 void* SyncStream_GetHandle(OrtSyncStream* stream);
385  23 void ReleaseSyncStream(OrtSyncStream* input);
386  23 OrtStatus* CopyTensors(const OrtEnv* env, const OrtValue* const* src_tensors,
            OrtValue* const* dst_tensors, OrtSyncStream* stream, size_t num_tensors);
387  23 OrtStatus* Graph_GetModelMetadata(const OrtGraph* graph, OrtModelMetadata** out);
388  23 OrtStatus* GetModelCompatibilityForEpDevices(const OrtEpDevice* const* ep_devices,
            size_t num_ep_devices, const char* compatibility_info,
            OrtCompiledModelCompatibility* out_status);
389  23 OrtStatus* CreateExternalInitializerInfo(const ORTCHAR_T* filepath, int64_t file_offset,
            size_t byte_size, OrtExternalInitializerInfo** out);
390  24 bool TensorTypeAndShape_HasShape(const OrtTensorTypeAndShapeInfo* info);
391  24 OrtStatus* KernelInfo_GetConfigEntries(const OrtKernelInfo* info, OrtKeyValuePairs** out);
392  24 OrtStatus* KernelInfo_GetOperatorDomain(const OrtKernelInfo* info, char* out, size_t* size);
393  24 OrtStatus* KernelInfo_GetOperatorType(const OrtKernelInfo* info, char* out, size_t* size);
394  24 OrtStatus* KernelInfo_GetOperatorSinceVersion(const OrtKernelInfo* info,
            int* since_version);
395  24 const OrtInteropApi* GetInteropApi();
396  24 OrtStatus* SessionGetEpDeviceForOutputs(const OrtSession* session,
            const OrtEpDevice** outputs_ep_devices, size_t num_outputs);
397  24 OrtStatus* GetNumHardwareDevices(const OrtEnv* env, size_t* num_devices);
398  24 OrtStatus* GetHardwareDevices(const OrtEnv* env, const OrtHardwareDevice** devices,
            size_t num_devices);
399  24 OrtStatus* GetHardwareDeviceEpIncompatibilityDetails(const OrtEnv* env, const char* ep_name,
            const OrtHardwareDevice* hw, OrtDeviceEpIncompatibilityDetails** details);
400  24 OrtStatus* DeviceEpIncompatibilityDetails_GetReasonsBitmask(const OrtDeviceEpIncompatibilityDetails* details,
            uint32_t* reasons_bitmask);
401  24 OrtStatus* DeviceEpIncompatibilityDetails_GetNotes(const OrtDeviceEpIncompatibilityDetails* details,
            const char** notes);
402  24 OrtStatus* DeviceEpIncompatibilityDetails_GetErrorCode(const OrtDeviceEpIncompatibilityDetails* details,
            int32_t* error_code);
403  24 void ReleaseDeviceEpIncompatibilityDetails(OrtDeviceEpIncompatibilityDetails* input);
404  24 OrtStatus* GetCompatibilityInfoFromModel(const ORTCHAR_T* model_path, const char* ep_type,
            OrtAllocator* allocator, char** compatibility_info);
405  24 OrtStatus* GetCompatibilityInfoFromModelBytes(const void* model_data,
            size_t model_data_length, const char* ep_type, OrtAllocator* allocator,
            char** compatibility_info);
406  24 OrtStatus* CreateEnvWithOptions(const OrtEnvCreationOptions* options, OrtEnv** out);
407  24 OrtStatus* Session_GetEpGraphAssignmentInfo(const OrtSession* session,
            const OrtEpAssignedSubgraph* const** ep_subgraphs, size_t* num_ep_subgraphs);
408  24 OrtStatus* EpAssignedSubgraph_GetEpName(const OrtEpAssignedSubgraph* ep_subgraph,
            const char** out);
409  24 OrtStatus* EpAssignedSubgraph_GetNodes(const OrtEpAssignedSubgraph* ep_subgraph,
            const OrtEpAssignedNode* const** ep_nodes, size_t* num_ep_nodes);
410  24 OrtStatus* EpAssignedNode_GetName(const OrtEpAssignedNode* ep_node, const char** out);
411  24 OrtStatus* EpAssignedNode_GetDomain(const OrtEpAssignedNode* ep_node, const char** out);
412  24 OrtStatus* EpAssignedNode_GetOperatorType(const OrtEpAssignedNode* ep_node,
            const char** out);
413  24 void RunOptionsSetSyncStream(OrtRunOptions* options, OrtSyncStream* sync_stream);
414  25 OrtStatus* GetTensorElementTypeAndShapeDataReference(const OrtValue* value,
            ONNXTensorElementDataType* elem_type, const int64_t** shape_data,
            size_t* shape_data_count);
415  25 OrtStatus* RunOptionsEnableProfiling(OrtRunOptions* options,
            const ORTCHAR_T* profile_file_prefix);
416  25 OrtStatus* RunOptionsDisableProfiling(OrtRunOptions* options);
417  25 OrtStatus* KernelInfoGetAttributeArray_string(const OrtKernelInfo* info, const char* name,
            OrtAllocator* allocator, char*** out, size_t* size);
418  25 OrtStatus* SetPerSessionThreadPoolCallbacks(OrtEnv* env,
            const OrtThreadPoolCallbacksConfig* config);
419  27 OrtStatus* GetMemPatternEnabled(const OrtSessionOptions* options, int* out);
420  27 OrtStatus* GetSessionExecutionMode(const OrtSessionOptions* options, ExecutionMode* out);
421  27 OrtStatus* SessionReleaseCapturedGraph(OrtSession* session, int graph_annotation_id);
422  28 OrtExperimentalFnPtr GetExperimentalFunction(const char* name);
423  28 OrtStatus* KernelContext_GetSyncStream(const OrtKernelContext* context,
            OrtSyncStream** out);
424  29 OrtStatus* SessionOptionsSetWeightlessSourceModelBuffer(OrtSessionOptions* options,
            const void* source_model_data, size_t source_model_data_length);
425  30 OrtStatus* KernelContext_GetPreallocatedOutput(const OrtKernelContext* context,
            size_t output_index, OrtValue** output);
"""
